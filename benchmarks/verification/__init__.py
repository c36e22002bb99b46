"""The acceptance of a batch of blocks, timed against the functions of public packages."""
