"""Builds kernel tables from what is described: networks of stations, drives, scenarios."""
