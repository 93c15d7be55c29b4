"""Connections of drives, controllers and hosts: lanes, links, and the graph they make."""
