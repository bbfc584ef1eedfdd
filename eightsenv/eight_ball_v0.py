"""8-ball, version 0, in PettingZoo's style."""

from eightsenv.adapters.aec import pettingzoo_module
from eightsenv.variants.eight_ball import EIGHT_BALL

env, raw_env = pettingzoo_module(EIGHT_BALL)
