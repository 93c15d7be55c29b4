"""The lessons, one file each: data, text, and small functions. `catalogue` lists them."""
