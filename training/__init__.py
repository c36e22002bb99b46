"""Makes the weights that the package ships. Not part of the package."""
