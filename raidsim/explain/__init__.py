"""One request, followed through an idle system; and keys that have no effect."""
