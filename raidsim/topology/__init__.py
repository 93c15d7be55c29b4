"""How drives, controllers and hosts hang together: lanes, links, and the graph they make."""
