"""Planning: from a need to the designs that are worth buying."""
