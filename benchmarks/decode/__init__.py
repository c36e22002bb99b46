"""Time real decoding and what its speed is made of: ``python -m benchmarks.decode``."""
