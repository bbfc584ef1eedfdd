"""The high-low layout game of Eights, version 0, in PettingZoo's style."""

from eightsenv.adapters.aec import pettingzoo_module
from eightsenv.variants.high_low import HIGH_LOW_EIGHTS

env, raw_env = pettingzoo_module(HIGH_LOW_EIGHTS)
