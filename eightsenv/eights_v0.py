"""Eights, version 0, in PettingZoo's style."""

from eightsenv.adapters.aec import pettingzoo_module
from eightsenv.variants.eights import EIGHTS

env, raw_env = pettingzoo_module(EIGHTS)
