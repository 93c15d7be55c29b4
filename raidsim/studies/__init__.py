"""Many runs of one question: sweeps, studies kept in a file, and what cards do not know."""
