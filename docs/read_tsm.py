#!/usr/bin/env python3
"""Reads values of chess positions out of a .tsm file: docs/table-format.md in as few lines as it takes.

    python3 docs/read_tsm.py tables/fide/KQvKR.tsm < positions.fen

For each FEN it prints `win 13`, `loss 12`, `draw` or `stalemate` (plies, for the side to move), of a file of distances
`13`, and `left out` for a side to move that the file does not have. Positions must be legal and have no right to capture
en passant. Files are believed: the standard library has no BLAKE3. It needs Python 3.14, the package zstandard or libzstd.
"""

import ctypes, itertools, struct, sys


def find_decompressor():
    try:
        from compression import zstd
        return lambda data, size: zstd.decompress(data)
    except ImportError:
        pass
    try:
        import zstandard
        return lambda data, size: zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    except ImportError:
        pass
    for name in "libzstd.so.1", "libzstd.1.dylib", "libzstd.dll":
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        call = library.ZSTD_decompress
        call.restype, call.argtypes = ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t] * 2

        def decompress(data, size):
            buffer = ctypes.create_string_buffer(size)
            assert call(buffer, size, bytes(data), len(data)) == size, "a damaged block"
            return buffer.raw
        return decompress
    sys.exit("error: no Zstandard here: install the package zstandard")


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
    def __init__(self, path):
        self.data = d = open(path, "rb").read()
        assert d[:8] == b"\x89TSM\r\n\x1a\n" and d[16] == 1, "no finished .tsm"
        self.version, self.widths = struct.unpack_from("<I", d, 8)[0], d[17:19]
        self.block_codes, self.placements, self.n_blocks = struct.unpack_from("<IQQ", d, 20)
        self.index = struct.unpack_from("<Q", d, 64)[0]
        self.metric, name = (d[at:at + n].rstrip(b"\0").decode() for at, n in ((96, 8), (104, 32)))
        self.tile_codes, *self.orders = struct.unpack_from("<IHH", d, 232)
        self.white, self.black = name.split("v")
        self.men = m = self.white + self.black.lower()
        self.pawns = [i for i in range(len(m)) if m[i] in "Pp"]
        mobile = sorted((i for i in range(len(m)) if i not in self.pawns), key=lambda i: m[i] not in "Kk")
        n_frame = min(2, len(mobile) - 1)
        self.frame, free = mobile[:n_frame], mobile[n_frame:]
        self.free = sorted(free, key=lambda i: -{"Q": 8, "R": 4, "B": 4}.get(m[i].upper(), 0))
        self.group = range(2) if self.pawns else range(8)
        self.number_slices()
        self.number_blocks()
        self.slice_list, self.block_list = sorted(self.slices, key=self.slices.get), list(self.blocks)
        self.decompress, self.cache, self.learned = find_decompressor(), {}, [None, None]
        at = self.index + 28 * self.n_blocks
        for side in (s for s in (0, 1) if self.version == 6 and self.widths[s]):
            n_bytes = struct.unpack_from("<I", d, at)[0]
            n_weights = len(m) * (len(m) - 1) // 2 * 4096 + 512 + 64 + 256
            if n_bytes: self.learned[side] = memoryview(self.decompress(d[at + 4:at + 4 + n_bytes], n_weights)).cast("b")
            at += 4 + n_bytes

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

    def place(self, number, order):
        """The tile of a number, how many codes the tile has, and the place among them."""
        if self.version == 1:
            tile, place = divmod(number, self.block_codes)
            return tile, min(self.block_codes, self.placements - tile * self.block_codes), place
        n_axes = min(3, len(self.free))
        tile, inside = divmod(number, self.tile_codes)
        size = min(self.tile_codes, self.placements - tile * self.tile_codes)
        values, sizes = [inside // 64 ** n_axes], [size // 64 ** n_axes] + [64] * n_axes
        values += [inside // 64 ** (n_axes - axis) % 64 for axis in range(1, n_axes + 1)]
        place = 0
        for level in (order >> shift & 15 for shift in (0, 4, 8, 12)):
            axis = level & 3
            if level == 8: continue
            if level & 4 and axis: values[axis] = APART[values[axis]]
            if level & 4 and not axis: values[0] = self.turned(values[0])
            place = place * sizes[axis] + values[axis]
        return tile, size, place

    def grid(self, size, order):
        """How many values the three innermost levels of a tile have, and whether they are squares."""
        axes = [order >> shift & 3 for shift in (12, 8, 4, 0) if order >> shift & 15 != 8]
        sizes = [64 if axis else size // 64 ** min(3, len(self.free)) for axis in axes]
        return (sizes + [1, 1])[:3], ([axis > 0 for axis in axes] + [False] * 2)[:3]

    def squares_at(self, tile, size, order, place):
        """The squares of all men at a place of a tile."""
        n_axes, number = min(3, len(self.free)), tile * self.tile_codes
        for level in (order >> shift & 15 for shift in (12, 8, 4, 0)):
            if level == 8: continue
            axis, n = level & 3, 64 if level & 3 else size // 64 ** n_axes
            number += (DARK_FIRST[place % n] if level & 4 else place % n) * 64 ** (n_axes - axis)
            place //= n
        squares = {}
        for man in reversed(self.free):
            number, squares[man] = divmod(number, 64)
        slice_, block = divmod(number, len(self.blocks))
        squares |= zip(self.frame + self.pawns, self.block_list[block] + self.slice_list[slice_])
        return [squares[man] for man in range(len(self.men))]

    def turned(self, value):
        if "turned" not in self.cache:
            frames = list(self.blocks)
            key = lambda v: (v // len(frames), frames[v % len(frames)][::-1])
            order = sorted(range(len(self.slices) * len(frames)), key=key)
            self.cache["turned"] = {v: i for i, v in enumerate(order)}
        return self.cache["turned"][value]

    def code(self, side, number):
        tile, size, place = self.place(number, self.orders[side])
        per_tile = 1 if self.version == 1 else -(-self.tile_codes // self.block_codes)
        in_tile, place = divmod(place, self.block_codes)
        block = tile * per_tile + in_tile + (self.n_blocks // 2 if side and self.widths[0] else 0)
        n_codes, wide, wdl = min(self.block_codes, size - in_tile * self.block_codes), self.widths[side], self.metric == "wdl"
        if block not in self.cache:
            offset, n_bytes = struct.unpack_from("<QI", self.data, self.index + 28 * block)
            packed = self.data[offset:offset + n_bytes]
            if self.version > 4 and packed[0] == 1:
                from read_small import Model
                order, start = self.orders[side], in_tile * self.block_codes
                squares_at = lambda i: self.squares_at(tile, size, order, start + i)
                model = Model(packed[1:], n_codes, start, self.grid(size, order), self.learned[side], squares_at)
                self.cache[block] = model.codes
            else:
                self.cache[block] = self.decompress(packed[self.version > 4:], -(-n_codes // 4) if wdl else n_codes * wide)
        codes = self.cache[block]
        if wdl: return (codes[place // 4] >> 2 * (place % 4) & 3) + 1
        return codes[place] if len(codes) == n_codes else codes[2 * place] | codes[2 * place + 1] << 8

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


DARK_FIRST = sorted(range(64), key=lambda s: ((s % 8 + s // 8) % 2, s))
APART = {s: i for i, s in enumerate(DARK_FIRST)}

if __name__ == "__main__":
    table = Table(sys.argv[1])
    for line in sys.stdin:
        print(table.value(line))
