"""What changes a system that runs: windows, operations, power cuts, failures of parts."""
