"""The audit meets code that we did not write: speculative samplers from the package index."""
