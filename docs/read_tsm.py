#!/usr/bin/env python3
"""Reads values of chess positions out of a .tsm file: docs/table-format.md in as few lines as it takes.

    python3 docs/read_tsm.py tables/fide/KQvKR.tsm [dtz50] < positions.fen

Without a metric it reads the column that stands last.

For each FEN it prints `win 13`, `loss 12`, `draw` or `stalemate` (plies, for the side to move), of distances
alone `13`, and `left out` for a side to move that the column has not. Positions must be legal and have no
right to capture en passant. The container is read_container.py's, blocks packed by a model are
read_small.py's.
"""

import itertools, sys
from read_container import Container


def image(g, square):
    rank, file = divmod(square, 8)
    if g & 4: rank, file = file, rank
    if g & 1: file = 7 - file
    if g & 2: rank = 7 - rank
    return rank * 8 + file


def like_sorted(men, squares):
    groups = itertools.groupby(zip(men, squares), key=lambda pair: pair[0])
    return tuple(s for _, like in groups for s in sorted(s for _, s in like))


class Table:
    apart = {s: i for i, s in enumerate(sorted(range(64), key=lambda s: ((s % 8 + s // 8) % 2, s)))}

    def __init__(self, path, metric=None):
        self.file, self.cache = Container(path), {}
        assert self.file.kind == "TSM", "no table"
        columns = {
            own["table"]["metric"]: own["table"]
            for own in self.file.about["columns"]
            if "winner" not in own["made"] and "castling" not in own["table"]
        }
        assert columns, "no table"
        about = columns[metric or list(columns)[-1]]
        self.blocks_table = 6 * ["wdl", "dtc", "dtz", "dtz50", "dtm", "help", "dtm50"].index(about["metric"])
        self.metric, self.widths, self.orders = about["metric"], about["widths"], about["orders"]
        self.block_codes, self.tile_codes, self.placements = (
            about[key] for key in ("block_codes", "tile_codes", "placements"))
        self.white, self.black = about["material"].split("v")
        self.men = m = self.white + self.black.lower()
        self.pawns = [i for i in range(len(m)) if m[i] in "Pp"]
        mobile = sorted((i for i in range(len(m)) if i not in self.pawns), key=lambda i: m[i] not in "Kk")
        n_frame = min(2, len(mobile) - 1)
        self.frame, free = mobile[:n_frame], mobile[n_frame:]
        self.free = sorted(free, key=lambda i: -{"Q": 8, "R": 4, "B": 4}.get(m[i].upper(), 0))
        self.n_axes = min(3, len(self.free))
        self.group = range(2) if self.pawns else range(8)
        self.number_slices()
        self.number_blocks()

    def number_slices(self):
        kinds = [self.men[i] for i in self.pawns]
        def is_canonical(choice):
            by_file = lambda squares: [(s % 8, s // 8) for s in squares]
            images = (like_sorted(kinds, [image(g, s) for s in choice]) for g in self.group)
            return all(by_file(choice) <= by_file(other) for other in images)
        def advance(choice):
            return sum(s // 8 if kind == "P" else 7 - s // 8 for kind, s in zip(kinds, choice))
        choices = [c for c in itertools.product(range(8, 56), repeat=len(kinds))
                   if len(set(c)) == len(c) and like_sorted(kinds, c) == c and is_canonical(c)]
        self.slices = {c: i for i, c in enumerate(sorted(choices, key=lambda c: (-advance(c), c)))}

    def number_blocks(self):
        self.blocks, seen = {}, set()
        for pair in itertools.product(range(64), repeat=len(self.frame)):
            near = len(pair) == 2 and max(abs(pair[0] % 8 - pair[1] % 8), abs(pair[0] // 8 - pair[1] // 8)) < 2
            if not near and pair not in seen:
                self.blocks[pair] = len(self.blocks)
                seen.update(() if self.pawns else (tuple(image(g, s) for s in pair) for g in self.group))

    def number(self, squares):
        def images():
            for g in self.group:
                own = [image(g, s) for s in squares]
                part = lambda places: like_sorted([self.men[i] for i in places], [own[i] for i in places])
                slice_, block = self.slices.get(part(self.pawns)), self.blocks.get(tuple(own[i] for i in self.frame))
                if slice_ is not None and block is not None:
                    number = slice_ * len(self.blocks) + block
                    for square in part(self.free):
                        number = number * 64 + square
                    yield number
        return min(images())

    def place(self, inside, size, order):
        """Where a number of a tile of `size` codes stands in it."""
        n, place = self.n_axes, 0
        values, sizes = [inside // 64 ** n], [size // 64 ** n] + [64] * n
        values += [inside // 64 ** (n - axis) % 64 for axis in range(1, n + 1)]
        for level in (order >> shift & 15 for shift in (0, 4, 8, 12)):
            if level == 8: continue
            axis, apart = level & 3, self.apart.__getitem__ if level & 3 else self.turned
            place = place * sizes[axis] + (apart(values[axis]) if level & 4 else values[axis])
        return place

    def turned(self, value):
        if "turned" not in self.cache:
            frames = list(self.blocks)
            key = lambda v: (v // len(frames), frames[v % len(frames)][::-1])
            order = sorted(range(len(self.slices) * len(frames)), key=key)
            self.cache["turned"] = {v: i for i, v in enumerate(order)}
        return self.cache["turned"][value]

    def code(self, side, number):
        tile, inside = divmod(number, self.tile_codes)
        size = min(self.tile_codes, self.placements - tile * self.tile_codes)
        in_tile, place = divmod(self.place(inside, size, self.orders[side]), self.block_codes)
        page = self.blocks_table, side, tile, in_tile
        if page not in self.cache:
            coding, n_codes, packed = self.file.bytes(*page)
            if coding == 5:
                import read_small
                self.cache[page] = read_small.codes(self, side, tile, size, in_tile * self.block_codes, packed, n_codes)
            else:
                self.cache[page] = self.file.codes(*page)
        codes = self.cache[page]
        if self.metric == "wdl": return (codes[place // 4] >> 2 * (place % 4) & 3) + 1
        return codes[place] if len(codes) == self.file.pages[page][2] else codes[2 * place] | codes[2 * place + 1] << 8

    def value(self, fen):
        board, stm = fen.split()[:2]
        at = [(7 - r, row) for r, row in enumerate(board.split("/"))]
        rows = [(r, "".join("." * int(c) if c.isdigit() else c for c in row)) for r, row in at]
        men = [(c, r * 8 + f) for r, row in rows for f, c in enumerate(row) if c != "."]
        side, is_other = "wb".index(stm), sorted(c for c, _ in men) != sorted(self.men)
        if is_other or (self.white == self.black and side):
            men, side = [(c.swapcase(), s ^ 56) for c, s in men], 1 - side
        assert sorted(c for c, _ in men) == sorted(self.men), f"{fen} has other men than {self.men}"
        if not self.widths[side]: return "left out"
        squares = {c: [s for d, s in men if d == c] for c, _ in men}
        code = self.code(side, self.number([squares[c].pop() for c in self.men]))
        if self.metric in ("dtc", "dtz", "dtz50"): return str(code - 1)
        if code < 3: return ["nothing", "draw", "stalemate"][code]
        if self.metric == "wdl": return ["loss", "win"][code - 3]
        plies, win = divmod(code - 3, 2) if self.widths[side] == 2 else (code - 3, (code - 3) % 2)
        return f"{'win' if win else 'loss'} {plies}"


if __name__ == "__main__":
    table = Table(*sys.argv[1:])
    for line in sys.stdin:
        print(table.value(line))
