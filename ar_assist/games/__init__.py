"""The games that the assistant knows. A new game is one line here (docs/adding-a-game.md)."""

from ar_assist.games.link import LinkGame
from ar_assist.games.nonogram import NonogramGame
from ar_assist.games.othello import OthelloGame
from ar_assist.types import AnyGame

GAMES: dict[str, AnyGame] = {
    "link": LinkGame(),
    "nonogram": NonogramGame(),
    "othello": OthelloGame(),
}
