"""Exact values of positions with few men, in chess and in any chess variant."""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, final, type_check_only

import numpy as np
import numpy.typing as npt

__all__ = [
    "UNKNOWN",
    "Answer",
    "DamagedTable",
    "Helpmates",
    "Legend",
    "MissingTable",
    "Move",
    "Piece",
    "Table",
    "Tables",
    "Variant",
    "__version__",
    "open",
    "solve",
]

__version__: str

UNKNOWN: int
"""What stands for a result that is not known in arrays of results: -128."""

_Metric: TypeAlias = Literal["wdl", "dtc", "dtz", "dtz50", "dtm", "dtm50", "help"]
_Side: TypeAlias = (
    Literal["white", "black", "w", "b", "White", "Black", "W", "B", "WHITE", "BLACK"] | bool
)

@type_check_only
class Board(Protocol):
    """A board, as those of python-chess: anything with a method `fen()`."""

    def fen(self) -> str: ...

@type_check_only
class Count(TypedDict):
    """A number of placements: modulo symmetry, and on the whole board."""

    orbits: int
    unreduced: int

@type_check_only
class PlyCount(TypedDict):
    """How many positions are decided after so many plies."""

    ply: int
    count: Count

@type_check_only
class Longest(TypedDict):
    """The positions that take longest; `fen` is one of them."""

    ply: int
    count: Count
    fen: str

@type_check_only
class _SideStatistics(TypedDict):
    wins: Count
    draws: Count
    losses: Count
    stalemates: Count
    mates: Count
    illegal: Count
    wins_by_ply: list[PlyCount]
    losses_by_ply: list[PlyCount]
    longest_win: Longest | None
    longest_loss: Longest | None

@type_check_only
class SideStatistics(_SideStatistics, total=False):
    """What is counted with one side to move. `beyond_rule` is there under `dtz50`."""

    beyond_rule: dict[str, Any]

@type_check_only
class Zugzwang(TypedDict):
    """A mutual zugzwang, with White to move."""

    kind: Literal["white_wins_or_draw", "black_wins_or_draw", "full_point"]
    fen: str

@type_check_only
class Zugzwangs(TypedDict):
    """How many mutual zugzwangs there are, and the first few."""

    white_wins_or_draw: Count
    black_wins_or_draw: Count
    full_point: Count
    examples: list[Zugzwang]

@type_check_only
class _Statistics(TypedDict):
    material: str
    metric: _Metric
    white_to_move: SideStatistics
    black_to_move: SideStatistics
    zugzwangs: Zugzwangs

@type_check_only
class Statistics(_Statistics, total=False):
    """What is counted in a table. `ends_otherwise` is there if games are won otherwise than by mate."""

    ends_otherwise: bool

class MissingTable(LookupError):
    """A table that is needed is not there and was not solved."""

    table: str
    metric: _Metric
    file: str

class DamagedTable(OSError):
    """A file of tables is damaged and has to be made again."""

@final
class Piece:
    """A kind of piece of a game."""

    @property
    def letter(self) -> str:
        """The letter of White's men in a FEN."""
    @property
    def name(self) -> str:
        """The name."""
    @property
    def betza(self) -> str | None:
        """How it moves, in Betza notation; None where the notation has no word for it."""
    @property
    def words(self) -> list[str]:
        """How it moves, in sentences."""
    @property
    def diagram(self) -> str:
        """How it moves, as a picture, and below it what the marks mean."""
    @property
    def royal(self) -> bool:
        """Whether losing it loses the game."""
    @property
    def pawn(self) -> bool:
        """Whether it is a pawn."""
    @property
    def promotes_to(self) -> list[str]:
        """The letters of what a pawn may become."""

@final
class Variant:
    """The rules of a game.

    `Variant("fide")` is chess; all games that are built in are known by name. Any other game is read from its
    TOML file: `Variant("variants/mine.toml")`.
    """

    def __new__(cls, name_or_path: str | PathLike[str], /) -> Variant: ...
    @property
    def name(self) -> str:
        """The name of the game."""
    @property
    def description(self) -> str:
        """What the game is."""
    @property
    def source(self) -> str:
        """Where the rules are written down."""
    @property
    def board(self) -> tuple[int, int]:
        """The number of files and of ranks of the board."""
    @property
    def holes(self) -> list[str]:
        """The squares of the rectangle that the board does not have."""
    @property
    def pieces(self) -> list[Piece]:
        """The pieces, in the order in which the names of tables list them."""
    @property
    def metric(self) -> _Metric:
        """The metric of the game's tables when nothing else is said."""
    @property
    def rule_plies(self) -> int | None:
        """After how many plies without a capture or a pawn move a game is drawn; None if never."""

@final
class Move:
    """A legal move and what it is worth to the side that makes it."""

    def __new__(
        cls,
        uci: str,
        san: str,
        wdl: int | None,
        at_least: int,
        at_most: int,
        plies: int | None,
        value: str,
    ) -> Move: ...
    def __getnewargs__(self) -> tuple[Any, ...]:
        """What makes the same move again, for pickles and copies."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def uci(self) -> str:
        """The move in coordinates: `"h1d5"`."""
    @property
    def san(self) -> str:
        """The move in short notation: `"Qd5"`."""
    @property
    def wdl(self) -> int | None:
        """1 for a win of the side that moves, 0 for a draw, -1 for a loss; under `dtz50` the clock is
        looked at. None if it is not known."""
    @property
    def at_least(self) -> int:
        """The least that `wdl` can be."""
    @property
    def at_most(self) -> int:
        """The most that `wdl` can be."""
    @property
    def plies(self) -> int | None:
        """Plies to the end that the metric counts to, this move included; None if nobody wins. Beside a `wdl`
        of 0, those of a win that the clock makes a draw."""
    @property
    def value(self) -> str:
        """The value in words, as `wdl` has it: `"win in 9 plies"`."""

@final
class Answer:
    """What is known of a position."""

    def __new__(
        cls,
        fen: str,
        turn: str,
        value: str,
        wdl: int | None,
        at_least: int,
        at_most: int,
        plies: int | None,
        metric: str,
        outcome: str | None,
        text: str,
        moves: list[Move],
        line: list[str],
        line_uci: list[str],
        by: Literal["table", "moves", "rules"],
        file: str | None,
        files: list[str],
        solved: bool,
        missing: str | None,
    ) -> Answer: ...
    def __getnewargs__(self) -> tuple[Any, ...]:
        """What makes the same answer again, for pickles and copies."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def fen(self) -> str:
        """The position."""
    @property
    def turn(self) -> Literal["white", "black"]:
        """The side to move."""
    @property
    def value(self) -> str:
        """The value for the side to move, as `wdl` has it: `"win in 9 plies"`, `"draw"`, `"loss in 8 plies"`,
        `"stalemate"`."""
    @property
    def wdl(self) -> int | None:
        """1 for a win of the side to move, 0 for a draw, -1 for a loss; under `dtz50` the clock is looked
        at. None if a structure leaves it open."""
    @property
    def at_least(self) -> int:
        """The least that `wdl` can be."""
    @property
    def at_most(self) -> int:
        """The most that `wdl` can be."""
    @property
    def plies(self) -> int | None:
        """Plies to the end that the metric counts to; None if nobody wins, or the metric is `wdl`. Beside a
        `wdl` of 0, those of a win that the clock makes a draw."""
    @property
    def metric(self) -> _Metric:
        """The metric of the tables that answered."""
    @property
    def outcome(self) -> str | None:
        """How the game has ended here: `"checkmate"`, `"stalemate"`, …; None if it goes on."""
    @property
    def text(self) -> str:
        """The value in a sentence: `"White mates in 5 moves, 9 plies"`."""
    @property
    def moves(self) -> list[Move]:
        """Every legal move, best first, those of which nothing is known last."""
    @property
    def best(self) -> Move | None:
        """The best move; None if there is none, or it is not known."""
    @property
    def line(self) -> list[str]:
        """The main line in short notation, as far as it is known."""
    @property
    def line_uci(self) -> list[str]:
        """The main line in coordinates."""
    @property
    def by(self) -> Literal["table", "moves", "rules"]:
        """What says it: a table or a structure, the tables of its moves, or the rules alone."""
    @property
    def files(self) -> list[str]:
        """Where structures know bounds: their files, and inside which limits they were solved."""
    @property
    def file(self) -> str | None:
        """The name of the file that answered; None if the rules alone do, or the table is in memory."""
    @property
    def solved(self) -> bool:
        """Whether the tables were solved in memory because they were missing."""
    def _repr_svg_(self) -> str:
        """The board as a picture, which notebooks show."""
    @property
    def missing(self) -> str | None:
        """The table without which moves, or the rest of the line, are not known; None if all is known."""

@final
class Legend:
    """What the codes of `Table.values` mean: arrays that are indexed by code."""

    @property
    def wdl(self) -> npt.NDArray[np.int8]:
        """1, 0, -1 for the side to move, by code; UNKNOWN (-128) for what is no legal position."""
    @property
    def plies(self) -> npt.NDArray[np.int16]:
        """Plies by code; -1 if nobody wins."""

@final
class Table:
    """The value of every placement of a material, in memory.

    Placements have numbers from 0 to `len(table) - 1`, the same for both sides to move. Arrays of values are in
    the order of these numbers; `squares` and `indices` lead from numbers to squares and back.
    """

    @property
    def name(self) -> str:
        """The name: `"KQvKR"`."""
    @property
    def variant(self) -> Variant:
        """The rules of the game."""
    @property
    def metric(self) -> _Metric:
        """What the table holds of a position."""
    @property
    def men(self) -> list[str]:
        """The men, as a FEN writes them, in the order of the columns of `squares`: `["K", "Q", "k", "r"]`."""
    def __len__(self) -> int:
        """How many placements have a number."""
    def values(self, side: _Side) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
        """A code for each placement with a side to move: the table's own memory, read-only."""
    def legend(self, side: _Side) -> Legend:
        """What the codes of `values` mean with this side to move."""
    def wdl(self, side: _Side) -> npt.NDArray[np.int8]:
        """The result of each placement with this side to move: 1, 0, -1; UNKNOWN if it is not legal. Under
        `dtz50` a cursed win is 0, as `probe` has it, and has plies."""
    def plies(self, side: _Side) -> npt.NDArray[np.int16]:
        """The plies of each placement with this side to move; -1 if nobody wins."""
    def weights(self) -> npt.NDArray[np.uint32]:
        """How many placements on the whole board each one stands for; 0 for all but one of like placements."""
    def squares(self, indices: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """The squares of placements: a row for each number, a column for each of `men`; a1 is 0, b1 is 1."""
    def indices(self, squares: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The numbers of placements, one for each row of `squares`; -1 where the men cannot stand so."""
    def fen(self, side: _Side, index: npt.ArrayLike) -> str:
        """The FEN of a placement with this side to move."""
    def fens(self, side: _Side, indices: npt.ArrayLike) -> list[str]:
        """The FENs of placements with this side to move, by their numbers or by a mask of booleans."""
    def columns(self, *, fen: bool = False) -> dict[str, npt.NDArray[Any] | list[str]]:
        """The legal positions as columns, which frames of pandas and polars take: `to_move` (0 White,
        1 Black), a square for each of `men`, `wdl`, `plies`, `weight`, and `fen` if it is asked for. Of like
        positions there is one, and `weight` counts them all."""
    def statistics(self) -> Statistics:
        """What is counted in the table: results and plies, the longest wins, mutual zugzwangs."""

@final
class Helpmates:
    """What is known of a position if both sides want one of them to win."""

    @property
    def white(self) -> Answer:
        """How White can win with Black's help: `wdl` is 1 for either side to move if it can."""
    @property
    def black(self) -> Answer | None:
        """How Black can win with White's help; None where the rules are not the same for both sides."""
    @property
    def dead(self) -> bool:
        """Whether neither side can ever win."""
    @property
    def text(self) -> str:
        """What is known, in a sentence."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Tables:
    """Tables of one game: open folders, or tables in memory.

    Any number of threads may use it, and processes that were forked. `len`, `in` and iteration are about
    `names()`, `tables[name]` is `table(name)`, and a `with` statement closes them.
    """

    def __len__(self) -> int:
        """How many tables `names()` lists."""
    def __contains__(self, name: object, /) -> bool:
        """Whether `names()` lists a table; its name may have either colours."""
    def __iter__(self) -> Iterator[str]:
        """Goes through `names()`."""
    def __getitem__(self, name: str, /) -> Table:
        """A whole table, as `table` has it."""
    def __enter__(self) -> Tables: ...
    def __exit__(self, *_raised: object) -> None: ...
    def close(self) -> None:
        """Lets go of files and memory, once no call uses them any more; every question after it is a
        ValueError."""
    @property
    def variant(self) -> Variant:
        """The rules of the game."""
    @property
    def folder(self) -> PathLike[str] | None:
        """The folder of the tables, the first of several; None if they are in memory only."""
    @property
    def folders(self) -> list[PathLike[str]]:
        """The folders of the tables, in the order in which they are asked; none if they are in memory only."""
    @property
    def metrics(self) -> list[_Metric]:
        """The metrics of which there are tables; the game's own comes first."""
    def names(self, metric: _Metric | None = None) -> list[str]:
        """The names of the tables that are there under a metric, the smallest first."""
    def probe(self, position: str | Board, *, metric: _Metric | None = None, to_the_end: bool = False) -> Answer:
        """What is known of a position: its value, every move with its value, the main line."""
    def helpmates(self, position: str | Board) -> Helpmates:
        """How soon either side can be mated if both help, or that it never can."""
    def probe_many(
        self,
        positions: Iterable[str | Board] | npt.NDArray[Any],
        *,
        metric: _Metric | None = None,
        errors: Literal["raise", "mark"] = "raise",
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """The results and plies of many positions, on all cores and without the interpreter's lock."""
    def table(self, name: str, *, metric: _Metric | None = None) -> Table:
        """A whole table in memory, by its name: `"KQvKR"`, in either colours."""
    def find(
        self, name: str, condition: str, *, metric: _Metric | None = None, limit: int | None = None
    ) -> list[str]:
        """The FENs of the positions of a table of which a condition holds (docs/find.md)."""
    def statistics(self, name: str, *, metric: _Metric | None = None) -> Statistics:
        """What was counted in a table."""

def open(
    folder: str | PathLike[str] | Sequence[str | PathLike[str]],
    variant: str | PathLike[str] | Variant | None = None,
    *,
    solve: bool = True,
    cache: int = 268435456,
) -> Tables:
    """Opens a folder of tables, or a list of folders: a file is then read from the first that has it."""

def solve(
    variant: str | PathLike[str] | Variant, material: str, *, metric: _Metric | None = None
) -> Tables:
    """Solves a material in memory, with all tables that it leads to."""

def _run_command(script: str | PathLike[str], args: Sequence[str], /) -> int:
    """Runs a command of `tablesmith`; the exit code."""
