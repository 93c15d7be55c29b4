"""Many runs of one question: variants in, rows out (`engine`), and what cards do not know."""
