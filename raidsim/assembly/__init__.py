"""From a scenario and its cards to rows of the kernel's tables."""
