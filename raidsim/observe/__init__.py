"""What was measured in a window, read from the kernel's tables."""
