"""Widgets that work in the static page, in JupyterLab, in VS Code and in Colab alike.

Each is a class of traits (`Alive`) with one small ES module in ``js/``. `bundle` makes of these
what a kernel's front end and what a static page can load.
"""

from .base import Alive
from .bigram import Bigram
from .blocks import Blocks
from .cost import Cost
from .darts import Darts
from .heat import Heat
from .meters import Meters
from .noise import Noise
from .ribbon import Ribbon
from .roofline import Roofline
from .several import Several
from .tapes import Tapes
from .tokens import Tokens
from .walk import Walk
from .warps import Warps

__all__ = [
    "Alive",
    "Bigram",
    "Blocks",
    "Cost",
    "Darts",
    "Heat",
    "Meters",
    "Noise",
    "Ribbon",
    "Roofline",
    "Several",
    "Tapes",
    "Tokens",
    "Walk",
    "Warps",
]
