"""Measurements of this package and of code that others wrote."""
