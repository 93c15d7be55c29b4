"""Changes to a running system: windows, operations, power cuts, failures of parts."""
