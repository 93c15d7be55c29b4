"""Who makes runs side by side: threads, processes of this machine, or a Dask cluster."""
