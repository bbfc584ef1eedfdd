"""Card ids and their text.

Card id = 4 * rank + suit, with rank 0 = deuce … 12 = ace and suits C D H S = 0 … 3; the Jokers X1, X2 are 52 and 53.
Card text is rank then suit: ``2C … TC JC QC KC AC``. Both copies of a card in a double pack have the same id.
"""

from __future__ import annotations

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The texts of the 52 cards by id."""
_TEXTS = (*CARDS, "X1", "X2")
_IDS = {text: card for card, text in enumerate(_TEXTS)}
_ALL = (1 << len(_TEXTS)) - 1


def card_text(card: int) -> str:
    """The text of a card id in 0 … 53."""
    return _TEXTS[card]


def card_id(text: str) -> int:
    """The id of a card text; case does not matter and ``10C`` is read as ``TC``. Raises ``ValueError`` for anything else."""
    if isinstance(text, str):
        normal = text.strip().upper()
        card = _IDS.get("T" + normal[2:] if normal.startswith("10") else normal)
        if card is not None:
            return card
    raise ValueError(f"{text!r} is not a card; cards are written rank then suit, such as 2C, TD, AS, or X1, X2")


def set_texts(low: int, twice: int = 0) -> list[str]:
    """The card texts of a hand given as two planes of a bit set (held at least once, held twice), by ascending id."""
    once, again = int(low), int(twice)
    left, texts = (once | again) & _ALL, []
    while left:
        card = left & -left
        left ^= card
        text = _TEXTS[card.bit_length() - 1]
        if once & card:
            texts.append(text)
        if again & card:
            texts.append(text)
    return texts
