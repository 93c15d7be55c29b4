"""Many runs of one question: sweeps, studies kept in a file, and draws of unknown values."""
