"""What changes a system that runs: windows, sweeps, power cuts, failures of parts."""
