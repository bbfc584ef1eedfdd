"""Speculation, version 0, in PettingZoo's style."""

from eightsenv.adapters.aec import pettingzoo_module
from eightsenv.variants.speculation import SPECULATION

env, raw_env = pettingzoo_module(SPECULATION)
