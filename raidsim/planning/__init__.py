"""Planning: from what is needed to the designs that are worth buying."""
