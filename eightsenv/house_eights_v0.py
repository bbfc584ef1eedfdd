"""House Rules, version 0, in PettingZoo's style."""

from eightsenv.adapters.aec import pettingzoo_module
from eightsenv.variants.house import HOUSE_EIGHTS

env, raw_env = pettingzoo_module(HOUSE_EIGHTS)
