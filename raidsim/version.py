"""The version of raidsim."""

__version__ = "0.1.0"
