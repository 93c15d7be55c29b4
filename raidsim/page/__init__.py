"""The page of ``raidsim serve``: scenarios are written, run, turned and compared in a browser."""
