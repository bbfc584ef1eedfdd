"""An independent model of 8-ball for four, three and two players, in lists and dicts, written from the rule book.

It is slow and plain on purpose, knows nothing of the package, and is right by being readable. Chance after the first deal (a
redeal, the later hands of a match) is taken from an oracle, checked, and adopted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference import settings
from reference.compare import best, win_shares
from reference.settings import EIGHT_BALL_PACK, SUITS

GHOST = "ghost"
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
TRICKS = 5

Bid = tuple[int, int, str, bool]
"""Who bid, how many tricks, in which suit, and whether alone."""


def trump_order(trump: str) -> list[str]:
    """The trumps of a suit, highest first (B4-8, B4-9)."""
    return ["8C", "J" + trump, "J" + SAME_COLOUR[trump], *(rank + trump for rank in "AKQT")]


def best_card(cards: list[str], trump: str) -> str:
    """The card that takes a trick, the first one having been led (B4-31)."""
    trumps = [card for card in trump_order(trump) if card in cards]
    if trumps:
        return trumps[0]
    return next(rank + cards[0][1] for rank in "AKQJT" if rank + cards[0][1] in cards)


def points(bid: Bid, caught: int, o: dict[str, Any]) -> int:
    """What the bidding side scores for the tricks that it caught (B4-34 … 37, B3-21 … 23, B2-24)."""
    _, number, _, alone = bid
    needed = min(number, TRICKS)
    if caught >= needed:
        if alone or number == 6:
            return 15
        return 12 if number == 5 else 2 * number + caught - number
    missed = needed - caught
    if number == 6:
        number = o["six_shortfall_base"]
        missed = number - caught
    return -4 - {"4_plus_missed": missed, "4_covers_first": missed - 1, "4_plus_bid": number}[o["set_penalty"]]


class EightBallModel:
    """One episode. Piles are lists with the top first; hands are lists in no order; actions and cards are text.

    Args:
        variant: the name of the environment, which gives the defaults.
        options: a complete or partial setting (keyword arguments of the environment).
        oracle: returns the true state in words; asked only when chance has acted.
    """

    def __init__(self, variant: str, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]):
        self.o = settings.complete(variant, options)
        self.oracle = oracle
        self.n: int = self.o["num_players"]
        self.pack = list(EIGHT_BALL_PACK)
        self.scores = [Fraction(0)] * self.n
        self.payoffs: list[Fraction] | None = None
        self.hand_number = 0
        self.decisions = 0
        self.over = False
        self.winners: list[int] = []
        self.limit = self.o["max_decisions"] or (20_000 if self.o["match"] else 2_000)

    # Seats

    def left(self, seat: int) -> int:
        return (seat + 1) % self.n

    def order_from(self, seat: int) -> list[int]:
        """All seats clockwise, this one first."""
        return [(seat + k) % self.n for k in range(self.n)]

    def side(self, seat: int) -> list[int]:
        """Who scores together with a seat (B4-1)."""
        return [seat, (seat + 2) % 4] if self.n == 4 else [seat]

    # The deal

    def start(self, deck: list[str], dealer: int) -> None:
        """Begin the episode with a whole deck, its first card first."""
        assert Counter(deck) == Counter(self.pack)
        self.dealer = dealer
        self.clear_table()
        packets = {4: [2, 3], 3: [2, 2, 2], 2: [2, 2, 2]}[self.n]
        opponent = self.left(dealer)
        places: list[Any] = self.order_from(opponent) if self.n > 2 else [opponent, GHOST, dealer]
        rest = list(deck)
        for size in packets:
            for place in places:
                packet, rest = rest[:size], rest[size:]
                if place == GHOST:
                    # What is dealt last lies on top.
                    self.ghost = packet[::-1] + self.ghost
                else:
                    self.hands[place] += packet
        self.hidden = rest
        self.turn_next_flip()

    def clear_table(self) -> None:
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        self.ghost: list[str] = []
        self.hidden: list[str] = []
        self.flip: str | None = None
        self.face_up = False
        self.flip_number = 0
        self.dead: list[str] = []
        self.discards: list[str] = []
        self.played: list[str] = []
        self.trump: str | None = None
        self.bid: Bid | None = None
        self.resting: int | None = None
        self.due: list[tuple[str, int]] = []
        self.trick: list[tuple[Any, str]] = []
        self.tricks: dict[Any, int] = dict.fromkeys([*range(self.n), GHOST], 0)

    def adopt_deal(self) -> None:
        """A later deal is chance: taken as it truly is, after a check of what the rules fix."""
        true = self.oracle()
        assert true["dealer"] == self.dealer and true["hand_number"] == self.hand_number
        self.clear_table()
        self.hands = [list(hand) for hand in true["hands"]]
        self.ghost = list(true["ghost"]) if self.n == 2 else []
        shown = true["flip"][0]
        self.hidden = [shown, *true["hidden"]]
        assert {len(hand) for hand in self.hands} == {5 if self.n == 4 else 6}
        assert (len(self.ghost), len(self.hidden)) == {4: (0, 1), 3: (0, 3), 2: (6, 3)}[self.n]
        assert Counter([*self.hidden, *self.ghost, *(c for hand in self.hands for c in hand)]) == Counter(self.pack)
        self.turn_next_flip()

    def turn_next_flip(self) -> None:
        self.flip = self.hidden.pop(0)
        self.face_up = True
        self.flip_number += 1
        self.begin_auction(is_open=False)

    def turn_down(self) -> None:
        """The flip is turned face down, if it still lies face up, and is dead."""
        if self.face_up:
            assert self.flip is not None
            self.face_up = False
            self.dead.append(self.flip)

    # The auction

    def begin_auction(self, is_open: bool) -> None:
        self.stage = "auction"
        self.open_auction = is_open
        self.bid = None
        self.passed: set[int] = set()
        self.calls = 0
        self.passes_in_a_row = 0
        self.seat: int | None = self.left(self.dealer)

    def eight_up(self) -> bool:
        """Whether this is the auction of an 8C turned up."""
        return not self.open_auction and self.flip == "8C"

    def length(self) -> str:
        """``single``: one call each; ``continuous``: round and round; ``first_bid_ends``: one call each at most."""
        if self.n == 2:
            return "continuous"
        if self.open_auction:
            return self.o["auction2"]
        return self.o["eight_auction" if self.eight_up() else "auction"]

    def least_bid(self, suit: str) -> int | None:
        """The fewest tricks that may be bid in a suit whatever bid stands; None if the suit may not be bid."""
        is_flip_suit = not self.eight_up() and self.flip is not None and self.flip[1] == suit
        if self.n == 2:
            third = self.flip_number == 3
            if is_flip_suit or self.eight_up() or self.o["b2_suit_rule"] == "any":
                return self.o["third_flip_min"] if third else 3
            if self.o["b2_suit_rule"] == "flip_only":
                return None
            return self.o["third_flip_other_min"] if third else 4
        if self.open_auction:
            # 8C has no suit that could have been turned down.
            turned_down = is_flip_suit and self.flip != "8C"
            return None if self.n == 4 and turned_down and not self.o["turned_suit_biddable"] else 3
        return 3 if self.eight_up() or is_flip_suit else 4

    def may_outbid(self) -> bool:
        """Whether anything can be bid over what stands by the seat to move."""
        if self.bid is None:
            return True
        bidder, _, _, alone = self.bid
        partner = self.seat != bidder and self.seat in self.side(bidder)
        return not alone and not (partner and not self.o["partner_overbid"])

    def outbids(self, number: int, suit: str) -> bool:
        if self.bid is None or number > self.bid[1]:
            return True
        order = self.o["suit_order"]
        return number == self.bid[1] and order is not None and order.index(suit) > order.index(self.bid[2])

    def six_allowed(self) -> bool:
        if self.n == 4 or not (self.o["six_bid_when"] == "any_flip" or self.eight_up()):
            return False
        return self.bid is not None and self.bid[1] == 5 and self.bid[0] != self.seat

    def alone_allowed(self) -> bool:
        if self.n != 4:
            return False
        if self.o["alone_requires"] == "none":
            return True
        if self.bid is None or self.bid[1] != 5:
            return False
        return self.o["alone_requires"] == "any_5" or self.seat not in self.side(self.bid[0])

    def must_bid(self) -> bool:
        """The dealer, all others having passed, where not all may pass (B4-21, B3-15, B4-29)."""
        forced = self.open_auction or (self.eight_up() and self.o["eight_flip_all_pass"] == "dealer_forced")
        return forced and self.bid is None and self.calls == self.n - 1

    def auction_actions(self) -> set[str]:
        actions = set() if self.must_bid() else {"pass"}
        if not self.may_outbid():
            return actions
        for suit in SUITS:
            least = self.least_bid(suit)
            if least is None:
                continue
            actions |= {f"bid {number} {suit}" for number in range(least, 6) if self.outbids(number, suit)}
            if self.six_allowed():
                actions.add(f"bid 6 {suit}")
            if self.alone_allowed():
                actions.add(f"alone {suit}")
        return actions

    def call(self, action: str) -> None:
        assert self.seat is not None
        self.calls += 1
        word, *rest = action.split()
        if word == "pass":
            self.passed.add(self.seat)
            self.passes_in_a_row += 1
        else:
            self.passes_in_a_row = 0
            self.bid = (self.seat, 5 if word == "alone" else int(rest[0]), rest[-1], word == "alone")
            another = not self.open_auction and not self.eight_up() and self.flip is not None and self.flip[1] != rest[-1]
            if self.n > 2 and another and self.o["flip_disposition"] == "immediate":
                self.turn_down()
        if self.auction_is_over():
            if self.bid is None:
                self.all_passed()
            else:
                self.contract()
            return
        self.seat = self.left(self.seat)
        while self.length() == "continuous" and self.o["pass_is_final"] and self.seat in self.passed:
            self.seat = self.left(self.seat)

    def auction_is_over(self) -> bool:
        if self.length() == "first_bid_ends" and self.bid is not None:
            return True
        if self.length() != "continuous":
            return self.calls == self.n
        others = self.n if self.bid is None else self.n - 1
        if self.o["pass_is_final"]:
            return len(self.passed - {self.bid[0] if self.bid else -1}) == others
        return self.passes_in_a_row == others

    def all_passed(self) -> None:
        if self.eight_up() and self.o["eight_flip_all_pass"] == "redeal":
            self.adopt_deal()
            return
        self.turn_down()
        if self.hidden:
            self.turn_next_flip()
        elif self.n > 2:
            self.begin_auction(is_open=True)
        elif self.o["passout"] == "redeal":
            self.adopt_deal()
        else:
            self.next_due([("discard", seat) for seat in self.order_from(self.left(self.dealer))])

    # The contract

    def contract(self) -> None:
        assert self.bid is not None
        bidder, _, self.trump, alone = self.bid
        if alone:
            self.resting = (bidder + 2) % 4
        taker = self.taker(bidder)
        if taker is None:
            self.turn_down()
        else:
            assert self.flip is not None
            self.hands[taker].append(self.flip)
            self.flip = None
        seats = self.order_from(self.left(self.dealer))
        if self.n == 4:
            due = [("discard", seat) for seat in seats if seat == taker]
        elif self.n == 3:
            due = [("discard", seat) for seat in seats for _ in range(2 if seat == taker else 1)]
        else:
            due = [("discard", bidder)] * 2 + [("take", self.left(bidder))]
        self.next_due(due)

    def taker(self, bidder: int) -> int | None:
        """Who takes the flip, if anyone (B4-17, B4-28, B4-33, B3-9, B3-17, B2-11)."""
        if not self.face_up or self.flip is None:
            return None
        if self.n == 2 or self.eight_up():
            return bidder
        if self.flip[1] != self.trump or self.resting == self.dealer:
            return None
        return self.dealer

    def next_due(self, due: list[tuple[str, int]]) -> None:
        """The next of the discards and takes that are due, or the play."""
        self.due = due
        if due:
            self.stage, self.seat = due[0]
        else:
            self.begin_play()

    def takes(self) -> list[int]:
        """How many hidden cards may be taken (B2-12)."""
        most = len(self.hidden)
        return {"all": [most], "none": [0], "choose": list(range(most + 1))}[self.o["b2_hidden"]]

    def take(self, number: int) -> None:
        assert self.seat is not None
        self.number_taken = number
        self.next_due([("discard", self.seat)] * (1 + number))

    def put_aside(self, card: str) -> None:
        """A discard, face down; after the last one of the other player with two, the hidden cards come."""
        assert self.seat is not None
        self.hands[self.seat].remove(card)
        self.discards.append(card)
        if self.n == 2 and self.bid is not None and self.seat != self.bid[0] and len(self.due) == 1:
            self.hands[self.seat] += self.hidden[: self.number_taken]
            del self.hidden[: self.number_taken]
        self.next_due(self.due[1:])

    # Play

    def begin_play(self) -> None:
        assert {len(hand) for hand in self.hands} == {TRICKS}
        self.stage = "play"
        leader: Any = self.left(self.dealer)
        if self.bid is None:
            leader = GHOST
        elif self.bid[3]:
            leader = {
                "left_of_dealer": leader,
                "bidder": self.bid[0],
                "left_of_bidder": self.left(self.bid[0]),
            }[self.o["alone_leader"]]
            if leader == self.resting:
                leader = self.left(leader)
        self.lead(leader)

    def lead(self, leader: Any) -> None:
        """A new trick: who plays to it, in order; the ghost's lead comes at once (B2-22)."""
        self.trick = []
        if self.n > 2:
            self.to_play: list[Any] = [seat for seat in self.order_from(leader) if seat != self.resting]
        elif leader == GHOST:
            others = self.order_from(self.left(self.dealer))
            self.to_play = [GHOST, *(others if self.o["bot_lead_next"] == "nondealer" else others[::-1])]
        else:
            self.to_play = [leader, self.left(leader), GHOST]
        self.go_on()

    def go_on(self) -> None:
        """The ghost's card falls if it is its turn; a full trick is won; else the next seat is asked."""
        if self.to_play and self.to_play[0] == GHOST:
            card = self.ghosts_card()
            self.ghost.remove(card)
            if self.trump is None:
                # The first lead of a passed-out hand; 8C makes clubs trump (B2-17).
                self.trump = card[1]
            self.trick.append((self.to_play.pop(0), card))
        if self.to_play:
            self.seat = self.to_play[0]
        else:
            self.win_trick()

    def suits_of(self, card: str) -> set[str]:
        """The suits to which a card belongs in leading and following (B4-8, B4-9)."""
        assert self.trump is not None
        if card == "8C":
            return {self.trump, "C"} if self.o["eight_suit"] == "club_and_trump" else {self.trump}
        if card == "J" + SAME_COLOUR[self.trump] and self.o["left_bower_follows"] == "trump":
            return {self.trump}
        return {card[1]}

    def suit_led(self) -> str:
        assert self.trump is not None
        card = self.trick[0][1]
        return self.trump if card == "8C" else self.suits_of(card).pop()

    def playable(self, hand: list[str]) -> set[str]:
        """The cards of a hand that may be played to the trick in progress (B4-10 … 12)."""
        if not self.trick:
            return set(hand)
        led = self.suit_led()
        following = {card for card in hand if led in self.suits_of(card)}
        if led == self.trump and following == {"8C"} and not self.o["eight_forced_on_trump_lead"]:
            following = set()
        return following | ({"8C"} & set(hand)) if following else set(hand)

    def ghosts_card(self) -> str:
        """The ghost's top card, or the topmost one of the suit led, 8C being a trump only."""
        if self.trick and self.o["bot_policy"] == "follow_if_able":
            led = self.suit_led()
            for card in self.ghost:
                if led == self.trump if card == "8C" else led in self.suits_of(card):
                    return card
        return self.ghost[0]

    def play(self, card: str) -> None:
        assert self.seat is not None
        self.hands[self.seat].remove(card)
        self.trick.append((self.to_play.pop(0), card))
        self.go_on()

    def win_trick(self) -> None:
        assert self.trump is not None
        cards = [card for _, card in self.trick]
        best = best_card(cards, self.trump)
        winner = next(who for who, card in self.trick if card == best)
        self.tricks[winner] += 1
        self.played += cards
        if sum(self.tricks.values()) < TRICKS:
            self.lead(winner)
        else:
            self.trick = []
            self.end_hand()

    # Decisions

    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        if self.over:
            return set()
        assert self.seat is not None
        hand = self.hands[self.seat]
        if self.stage == "auction":
            return self.auction_actions()
        if self.stage == "take":
            return {f"take {number}" for number in self.takes()}
        if self.stage == "discard":
            return {f"discard {card}" for card in hand}
        return {f"play {card}" for card in self.playable(hand)}

    def act(self, action: str) -> list[Fraction]:
        """Make a legal action; returns what each seat gained by it under ``reward="score"``."""
        assert action in self.legal(), (action, self.legal())
        self.decisions += 1
        self.gained = [Fraction(0)] * self.n
        if self.stage == "auction":
            self.call(action)
        elif self.stage == "take":
            self.take(int(action.split()[1]))
        elif self.stage == "discard":
            self.put_aside(action.split()[1])
        else:
            self.play(action.split()[1])
        return self.gained

    # Scoring

    def end_hand(self) -> None:
        caught = {seat: sum(self.tricks[k] for k in self.side(seat)) for seat in range(self.n)}
        scored = [caught[seat] for seat in range(self.n)]
        bidders = self.side(self.bid[0]) if self.bid else []
        for seat in bidders:
            assert self.bid is not None
            scored[seat] = points(self.bid, caught[seat], self.o)
        self.payoffs = [Fraction(amount) for amount in scored]
        self.gained = list(self.payoffs)
        self.scores = [total + amount for total, amount in zip(self.scores, scored, strict=True)]
        self.winners = self.match_winners(bidders)
        if self.winners or not self.o["match"]:
            self.over, self.seat = True, None
            return
        self.hand_number += 1
        self.dealer = self.left(self.dealer)
        self.adopt_deal()

    def match_winners(self, bidders: list[int]) -> list[int]:
        """Who has won the match with this hand; nobody while it goes on (B4-39, B3-25, B2-26)."""
        there = [seat for seat in range(self.n) if self.scores[seat] >= self.o["target"]]
        best = [seat for seat in there if self.scores[seat] == max(self.scores)]
        if self.n == 4:
            if len(there) < 4 or self.o["both_reach"] == "play_on":
                return there if len(there) == 2 else []
            if self.o["both_reach"] == "bidder":
                return bidders
            return best if len(best) == 2 else []
        if set(bidders) & set(there):
            return bidders
        return best if len(best) == 1 or self.o["tie_at_target"] == "share" else []

    # The end

    @property
    def truncated(self) -> bool:
        return not self.over and self.decisions >= self.limit

    def win_shares(self) -> list[Fraction]:
        """The rewards of ``reward="win"`` after the end: winners share +1, losers -1; without either all 0."""
        assert self.payoffs is not None
        won = self.winners if self.o["match"] else best(self.payoffs)
        return win_shares(won, self.n)

    # The state in words

    def reveal(self) -> dict[str, Any]:
        """What ``reveal()`` of the environment says, the phase's name apart; hands sorted."""
        return {
            "hands": [sorted(hand) for hand in self.hands],
            "dealer": self.dealer,
            "seat": self.seat,
            "scores": [float(total) for total in self.scores],
            "hand_number": self.hand_number,
            "flip": None if self.flip is None else [self.flip, self.face_up],
            "hidden": self.hidden[:],
            "ghost": self.ghost[:],
            "discards": self.discards[:],
            "dead": self.dead[:],
            "played": self.played[:],
            "trump": self.trump,
            "bid": None if self.bid is None else dict(zip(("seat", "n", "suit", "alone"), self.bid, strict=True)),
            "trick": [list(entry) for entry in self.trick],
            "tricks": self.tricks.copy() if self.n == 2 else [self.tricks[seat] for seat in range(self.n)],
        }
