"""Exact values of positions with few men, in chess and in any chess variant."""

from .tablesmith import *
from .tablesmith import __all__ as __all__, __version__ as __version__
