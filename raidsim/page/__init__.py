"""The page of ``raidsim serve``: scenarios are written, run, varied and compared in a browser."""
