"""The tables of one environment: how they grow, how the kernel is entered, how large they get."""
