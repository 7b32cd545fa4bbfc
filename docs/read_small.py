"""Blocks of small .tsm files, packed by a model: what read_tsm.py needs for versions 5 and 6 of docs/table-format.md."""

import itertools, struct
from bisect import bisect_left

NOTHING = {}


def curves():
    squash, odds = [0] * 4095, 1 << 40
    for d in range(2048):
        p = min(((odds << 16) + (odds + (1 << 40)) // 2) // (odds + (1 << 40)), 65520)
        squash[2047 + d], squash[2047 - d] = p, 65536 - p
        odds = odds * 1108135204352 >> 40
    near = squash[947:3147]
    return squash, [bisect_left(near, 16 * i + 8) - 1100 for i in range(4096)], [131072 // (2 * n + 3) for n in range(21)]


def codes(table, side, tile, size, start, packed, n_codes):
    """The codes of the block that begins at place `start` of a tile of `size` codes."""
    levels = [order for order in (table.orders[side] >> shift & 15 for shift in (12, 8, 4, 0)) if order != 8]
    sizes = [64 if level & 3 else size // 64 ** table.n_axes for level in levels]
    slices, blocks = sorted(table.slices, key=table.slices.get), list(table.blocks)
    apart = list(table.apart)

    def squares_at(i):
        """The squares of all men at a place of the block."""
        place, number, squares = start + i, tile * table.tile_codes, {}
        for level, n in zip(levels, sizes):
            place, value = divmod(place, n)
            number += (apart[value] if level & 4 else value) * 64 ** (table.n_axes - (level & 3))
        for man in reversed(table.free):
            number, squares[man] = divmod(number, 64)
        slice_, block = divmod(number, len(blocks))
        squares |= zip(table.frame + table.pawns, blocks[block] + slices[slice_])
        return [squares[man] for man in range(len(table.men))]

    grid = (sizes + [1, 1])[:3], ([level & 3 > 0 for level in levels] + [False] * 2)[:3]
    return Model(packed, n_codes, start, grid, prior_of(table, side), squares_at).codes


def prior_of(table, side):
    """The weights of version 6 for a side to move, None if there are none."""
    at = table.index + 28 * table.n_blocks
    for other in (s for s in (0, 1) if table.version == 6 and table.widths[s]):
        n_bytes, at = struct.unpack_from("<I", table.data, at)[0], at + 4
        if other == side: return memoryview(table.decompress(table.data[at:at + n_bytes])).cast("b") if n_bytes else None
        at += n_bytes


class Model:
    """A block that is packed by a model: the chapter of that name."""

    def __init__(self, data, n_codes, start, grid, prior, squares_at):
        """`prior` holds the weights of version 6 or is None; `squares_at` returns the squares of the men at a place."""
        self.prior, self.squares_at, self.score_weights = prior, squares_at, {}
        self.data, self.at, self.above, self.range = data, 5, int.from_bytes(data[1:5].ljust(4, b"\0"), "big"), 2**32 - 1
        self.squash, self.stretch, self.rates = CURVES
        self.counters, self.singles, self.weights = {}, {}, {}
        self.codes, self.misses, repeats = [], set(), {}
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
                around = [repeats.get(i - back, 2) if back else 2 for back in (ranks[0], row, plane)]
                context = (((around[0] * 3 + around[1]) * 3 + around[2]) * 5 + same) * 2 + (len(set(up)) == 1)
                counter = self.singles.setdefault(context, [1 << 21, 0])
                repeats[i] = self.bit(min(max(counter[0] >> 6, 32), 65504))
                self.update(counter, repeats[i])
                if repeats[i]:
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
        contexts = hashed(0, [(alike, first, 0), (a, c, e), (first, b, d), (first, v0, v1), (first, v0, v2), (alike, misses, 0),
                            (first, ae, ce), (first, v1, v2)])
        score = self.score(self.squares_at(i), alike, misses, first) if self.prior else 0
        if self.mixed(contexts, 1, three, score): return first
        self.misses.add(i)
        if second is not None and self.mixed(contexts, 2, 8): return second
        contexts = hashed(8, [(0, 0, 0), (first, 0, 0), (c, 0, 0), (a, 0, 0), (e, 0, 0), (v0, 0, 0), (first, second or 0, 0), (v1, v2, 0)])
        node, code, n_bits = 1, 0, self.data[0]
        near = self.literal_weights(first, second, n_bits)
        for k in range(n_bits):
            at = (n_bits - k) % n_bits
            halves = [sum(near[c] for c in near if c >> at & 1 == bit) for bit in (0, 1)]
            score = self.stretch[min((halves[1] + 1) * 4096 // (sum(halves) + 2), 4095)] if near is not NOTHING else 0
            bit = self.mixed(contexts, 8 + node, 16 + k, score)
            near = {c: near[c] for c in near if c >> at & 1 == bit} if near is not NOTHING else NOTHING
            node, code = node << 1 | bit, code | bit << at
        return code

    def score(self, squares, alike, misses, guess):
        two = enumerate(itertools.combinations(squares, 2))
        n = len(squares) * (len(squares) - 1) // 2 * 4096
        features = [pair * 4096 + one * 64 + other for pair, (one, other) in two]
        features += [n + alike, n + 512 + misses, n + 576 + min(guess, 255)]
        return min(max(8 * sum(self.prior[feature] for feature in features), -1500), 1500)

    def literal_weights(self, first, second, n_bits):
        """The weight of each code that may be the literal: a code that is neither guess."""
        guess = next((g for g in (first, second) if g is not None and g > 2), None)
        if self.prior is None or guess is None or n_bits > 10: return NOTHING
        def weight(code):
            if code in (0, first, second): return 0
            if code < 3: return 60
            k, is_odd = divmod(abs(code - guess), 2)
            return 2 if is_odd else 1 + 4200 // (k * (k + 1))
        return {code: weight(code) for code in range(1 << n_bits)}

    def mixed(self, contexts, node, which, score=0):
        weights = self.weights.setdefault(which, [14000] * 8)
        salt, counters = node * 0x9E3779B1 & 2**32 - 1, []
        for k, number in enumerate(contexts):
            counters.append(self.counters.setdefault(k << 15 | ((number ^ salt) * 0x85EBCA6B & 2**32 - 1) >> 17, [1 << 21, 0]))
        odds = [self.stretch[counter[0] >> 10] for counter in counters]
        score_weight = self.score_weights.get(which, 30000)
        total = sum(w * o for w, o in zip(weights + [score_weight], odds + [score])) >> 16
        p = self.squash[2047 + min(max(total, -2047), 2047)]
        bit = self.bit(p)
        miss = ((bit << 16) - p) >> 2
        moved = lambda weight, odds: min(max(weight + (odds * miss + 1024 >> 11), -2**20), 2**20)
        self.score_weights[which] = moved(score_weight, score)
        for k, counter in enumerate(counters):
            weights[k] = moved(weights[k], odds[k])
            self.update(counter, bit)
        return bit

    def update(self, counter, bit):
        counter[0] += ((2**22 - 1 if bit else 0) - counter[0]) * self.rates[counter[1]] >> 16
        counter[1] = min(counter[1] + 1, 20)

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


CURVES = curves()
