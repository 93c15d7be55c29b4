"""Workers for runs side by side: threads, processes of this computer, or a Dask cluster."""
