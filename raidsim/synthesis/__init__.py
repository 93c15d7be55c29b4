"""From a trace to the synthetic load nearest to it, and how far the two are apart."""
