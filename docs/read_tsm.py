#!/usr/bin/env python3
"""Reads values of chess positions out of a .tsm file: docs/table-format.md in as few lines as it takes.

    python3 docs/read_tsm.py tables/fide/KQvKR.tsm < positions.fen

For each FEN it prints `win 13`, `loss 12`, `draw` or `stalemate` (plies, for the side to move), of a file of distances
`13`, and `left out` for a side to move that the file does not have. Positions must be legal and have no right to capture
en passant. Files are believed: the standard library has no BLAKE3. It needs Python 3.14, the package zstandard or libzstd.
"""

import ctypes, itertools, struct, sys
from bisect import bisect_left


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


def curves():
    squash, odds = [0] * 4095, 1 << 40
    for d in range(2048):
        p = min(((odds << 16) + (odds + (1 << 40)) // 2) // (odds + (1 << 40)), 65520)
        squash[2047 + d], squash[2047 - d] = p, 65536 - p
        odds = odds * 1108135204352 >> 40
    near = squash[947:3147]
    return squash, [bisect_left(near, 16 * i + 8) - 1100 for i in range(4096)], [131072 // (2 * n + 3) for n in range(21)]


class Model:
    """A block that is packed by a model: the chapter of that name."""

    def __init__(self, data, n_codes, start, grid):
        self.data, self.at, self.above, self.range = data, 5, int.from_bytes(data[1:5].ljust(4, b"\0"), "big"), 2**32 - 1
        self.squash, self.stretch, self.rates = CURVES
        self.slots, self.singles, self.weights = {}, {}, {}
        self.codes, self.misses, known = [], set(), {}
        sizes, squares = grid
        strides = [1, sizes[0], sizes[0] * sizes[1]]
        while len(self.codes) < n_codes:
            i = len(self.codes)
            values = [(start + i) // strides[l] % sizes[l] for l in range(3)]
            n = min(8 - values[0] % 8, sizes[0] - values[0], n_codes - i)
            def step(l):
                back = 1 if values[l] % (8 if squares[l] else 2**32) else 8 if squares[l] and values[l] else 0
                return back * strides[l] if back * strides[l] <= i else 0
            def rank(l):
                return 8 * strides[l] if squares[l] and values[l] >= 8 and 8 * strides[l] <= i else 0
            row, plane, ranks = step(1), step(2), (rank(0), rank(1))
            if row:
                up = self.codes[i - row:i - row + n]
                same = 4
                if plane and plane + row <= i:
                    alike = [self.codes[i - plane + k] == self.codes[i - plane - row + k] for k in range(n)].count(True)
                    same = alike * 2 // n + (alike == n)
                around = [known.get(i - back, 2) if back else 2 for back in (ranks[0], row, plane)]
                kind = (((around[0] * 3 + around[1]) * 3 + around[2]) * 5 + same) * 2 + (len(set(up)) == 1)
                slot = self.singles.setdefault(kind, [1 << 21, 0])
                known[i] = self.bit(min(max(slot[0] >> 6, 32), 65504))
                self.learn(slot, known[i])
                if known[i]:
                    self.codes += up
                    continue
            first_step = ranks[0] if squares[0] else step(0)
            for k in range(n):
                self.codes.append(self.code(k, k + 1 == n, 1 if k else first_step, row, plane, ranks,
                                            [values[0] + k, *values[1:]]))

    def code(self, done, is_last, step, row, plane, ranks, values):
        x, i = self.codes, len(self.codes)
        near = lambda back, other: x[i - back] if back else other
        both = lambda one, two, other: x[i - one - two] if one and two and one + two <= i else other
        a = near(step, near(row, near(plane, 1)))
        c, e, b = near(row, a), near(plane, a), near(ranks[0], a)
        d = near(ranks[1], c)
        ac, ae, ce = both(step, row, a if step else c), both(step, plane, a if step else e), both(row, plane, c if row else e)
        cn, en = x[i - row + 1] if row and not is_last else c, x[i - plane + 1] if plane and not is_last else e
        first = a if c == ac else c if a == ac else a if e == ae or a == c else e if a == ae else c
        second = next((v for v in (a, c, e, b, d, cn, en, ac) if v != first), None)
        three = (a == c) | (a == e) << 1 | (c == e) << 2
        alike = sum((u == v) << n for n, (u, v) in enumerate([(a, ac), (c, ac), (a, ae), (e, ae), (c, ce), (e, ce)])) | three << 6
        v0, v1, v2 = values
        backs = [done > 0 and 1, done > 1 and 2, row, row and not is_last and row - 1, plane, plane and not is_last and plane - 1]
        there = [done > 0, done > 1, row, row and not is_last, plane, plane and not is_last]
        misses = sum((bool(is_there) and i - back in self.misses) << n for n, (is_there, back) in enumerate(zip(there, backs)))
        hashes = hashed(0, [(alike, first, 0), (a, c, e), (first, b, d), (first, v0, v1), (first, v0, v2), (alike, misses, 0),
                            (first, ae, ce), (first, v1, v2)])
        if self.mixed(hashes, 1, three): return first
        self.misses.add(i)
        if second is not None and self.mixed(hashes, 2, 8): return second
        hashes = hashed(8, [(0, 0, 0), (first, 0, 0), (c, 0, 0), (a, 0, 0), (e, 0, 0), (v0, 0, 0), (first, second or 0, 0), (v1, v2, 0)])
        node, code, n_bits = 1, 0, self.data[0]
        for k in range(n_bits):
            bit = self.mixed(hashes, 8 + node, 16 + k)
            node, code = node << 1 | bit, code | bit << (n_bits - k) % n_bits
        return code

    def mixed(self, hashes, node, which):
        weights = self.weights.setdefault(which, [14000] * 8)
        salt, slots = node * 0x9E3779B1 & 2**32 - 1, []
        for k, number in enumerate(hashes):
            slots.append(self.slots.setdefault(k << 15 | ((number ^ salt) * 0x85EBCA6B & 2**32 - 1) >> 17, [1 << 21, 0]))
        odds = [self.stretch[slot[0] >> 10] for slot in slots]
        total = sum(w * o for w, o in zip(weights, odds)) >> 16
        p = self.squash[2047 + min(max(total, -2047), 2047)]
        bit = self.bit(p)
        miss = ((bit << 16) - p) >> 2
        for k, slot in enumerate(slots):
            weights[k] = min(max(weights[k] + (odds[k] * miss + 1024 >> 11), -2**20), 2**20)
            self.learn(slot, bit)
        return bit

    def learn(self, slot, bit):
        slot[0] += ((2**22 - 1 if bit else 0) - slot[0]) * self.rates[slot[1]] >> 16
        slot[1] = min(slot[1] + 1, 20)

    def bit(self, p):
        bound = (self.range >> 16) * p
        bit = int(self.above < bound)
        if bit: self.range = bound
        else: self.above, self.range = self.above - bound, self.range - bound
        while self.range < 1 << 24:
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.above, self.range, self.at = self.above << 8 | byte, self.range << 8, self.at + 1
        return bit


def hashed(kind, all_values):
    numbers = (kind + k << 48 | w << 32 | v << 16 | u for k, (u, v, w) in enumerate(all_values))
    return [(number * 0x9FB21C651E98DF25 & 2**64 - 1) >> 32 for number in numbers]


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
        self.decompress, self.cache = find_decompressor(), {}

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
            if self.version == 5 and packed[0] == 1:
                self.cache[block] = Model(packed[1:], n_codes, in_tile * self.block_codes, self.grid(size, self.orders[side])).codes
            else:
                self.cache[block] = self.decompress(packed[self.version == 5:], -(-n_codes // 4) if wdl else n_codes * wide)
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


CURVES = curves()
APART = {s: i for i, s in enumerate(sorted(range(64), key=lambda s: ((s % 8 + s // 8) % 2, s)))}

if __name__ == "__main__":
    table = Table(sys.argv[1])
    for line in sys.stdin:
        print(table.value(line))
