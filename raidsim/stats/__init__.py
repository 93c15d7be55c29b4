"""Statistics of simulation output: histogram, warm-up, confidence intervals. Ground layer."""
