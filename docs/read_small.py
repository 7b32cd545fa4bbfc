"""Blocks of small .tsm files, packed by a model: what read_tsm.py needs for docs/small-tables.md."""

import functools, itertools, struct
from bisect import bisect_left
from read_container import decompress


def curves():
    squash, fine, odds = [0] * 4095, [0] * 2047, 1 << 40
    for d in range(2048):
        part = lambda bits: ((odds << bits) + (odds + (1 << 40)) // 2) // (odds + (1 << 40))
        p = min(part(16), 65520)
        squash[2047 + d], squash[2047 - d] = p, 65536 - p
        if d < 1024: fine[1023 + d], fine[1023 - d] = part(24), (1 << 24) - part(24)
        odds = odds * 1108135204352 >> 40
    near = squash[947:3147]
    return squash, [bisect_left(near, 16 * i + 8) - 1100 for i in range(4096)], fine


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
    prior, tree = learned(table, side)
    prior = memoryview(prior).cast("b") if prior else None
    if (side, "tree") not in table.cache: table.cache[side, "tree"] = Tree(tree, 8 * table.widths[side])
    return Model(table.cache[side, "tree"], packed, n_codes, start, grid, prior, squares_at).codes


def learned(table, side):
    """The prior of a side to move and the levels of its tree, None for what there is not."""
    key = table.blocks_table + 1, side, 0, 0
    if key not in table.file.pages: return None, None
    _, _, rest = table.file.bytes(*key)
    frames = []
    while rest:
        n_bytes = struct.unpack_from("<I", rest)[0]
        frames.append(decompress(rest[4:4 + n_bytes]) if n_bytes else None)
        rest = rest[4 + n_bytes:]
    return frames


class Model:
    """A block that is packed by the model: a counter is 16 times its odds, and how many bits it has seen."""

    def __init__(self, tree, data, n_codes, start, grid, prior, squares_at):
        """`prior` holds the weights of squares or is None; `squares_at` returns the squares of the men at a place."""
        self.tree, self.prior, self.squares_at = tree, prior, squares_at
        self.data, self.at, self.above, self.range = data, 4, int.from_bytes(data[:4].ljust(4, b"\0"), "big"), 2**32 - 1
        self.squash, self.stretch, _ = CURVES
        self.counters, self.weights = {}, {}
        self.codes, self.misses, self.repeats = [], set(), {}
        sizes, squares = grid
        self.size = sizes[0]
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
                same = None
                if plane and plane + row <= i:
                    same = [self.codes[i - plane + k] == self.codes[i - plane - row + k] for k in range(n)]
                self.repeats[i] = self.is_repeated(n, up, same, (ranks[0], row, plane), values)
                if self.repeats[i]:
                    self.codes += up
                    continue
            first_step = ranks[0] if squares[0] else step(0)
            for k in range(n):
                self.codes.append(self.code(k, k + 1 == n, 1 if k else first_step, row, plane, ranks,
                                            [values[0] + k, *values[1:]]))

    def repeat(self, back):
        return self.repeats.get(len(self.codes) - back, 2) if back else 2

    def around(self, n, up, same, backs):
        """The number of what stands around a run."""
        rank, row, plane = (self.repeat(back) for back in backs)
        same = 4 if same is None else sum(same) * 2 // n + all(same)
        return (((rank * 3 + row) * 3 + plane) * 5 + same) * 2 + (len(set(up)) == 1)

    def is_repeated(self, n, up, same, backs, values):
        # The end of the block cuts this run, and not those before it.
        whole = min(8 - values[0] % 8, self.size - values[0])
        missed = lambda back: [len(self.codes) - back + k in self.misses for k in range(whole)]
        n_of = lambda back: sum(missed(back)) if back else 1
        numbers = dict(zip(("v0", "v1", "v2"), values), left=up[0], right=up[-1], around=self.around(n, up, same, backs),
                       same=256 if same is None else bits_of(same), repeat=self.repeat(backs[2]),
                       row_misses=bits_of(missed(backs[1])), rank_count=n_of(backs[0]), plane_count=n_of(backs[2]))
        return self.mixed(sums_of(RUNS, 0x51AB7C03, numbers), 0, 9)

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
        backs = [done > 0 and 1, done > 1 and 2, row, row and not is_last and row - 1, plane, plane and not is_last and plane - 1]
        there = [done > 0, done > 1, row, row and not is_last, plane, plane and not is_last]
        misses = sum((bool(is_there) and i - back in self.misses) << n for n, (is_there, back) in enumerate(zip(there, backs)))
        numbers = dict(a=a, b=b, c=c, d=d, e=e, first=first, second=second or 0, alike=alike, misses=misses,
                       **dict(zip(("v0", "v1", "v2"), values)))
        score = self.score(self.squares_at(i), alike, misses, first) if self.prior else 0
        contexts = sums_of(GUESSES, 0, numbers)
        if self.mixed(contexts, 0, three, score): return first
        self.misses.add(i)
        if second is not None and self.mixed(contexts, 1, 8): return second
        return self.literal(first, second, numbers)

    def literal(self, first, second, numbers):
        tree, node, n_asked = self.tree, 0, 0
        contexts, near = sums_of(LITERALS, 0xA91D3E67, numbers), tree.near(first if first > 2 else second or 0)
        while node is not None:
            start, split, end, parts = tree.nodes[node]
            zero, one = near[split] - near[start], near[end] - near[split]
            score = self.stretch[(one + 1) * 4096 // (zero + one + 2)] if near[-1] else 0
            bit = self.mixed(contexts, node, 10 + min(n_asked, 15), score)
            node, leaf, n_asked = parts[bit], split if bit else start, n_asked + 1
        if leaf < len(tree.row): return tree.row[leaf]
        return functools.reduce(lambda code, _: code << 1 | self.bit(32768), range(tree.n_bits), 0)

    def score(self, squares, alike, misses, guess):
        two = enumerate(itertools.combinations(squares, 2))
        n = len(squares) * (len(squares) - 1) // 2 * 4096
        features = [pair * 4096 + one * 64 + other for pair, (one, other) in two]
        features += [n + alike, n + 512 + misses, n + 576 + min(guess, 255)]
        return min(max(8 * sum(self.prior[feature] for feature in features), -1500), 1500)

    def mixed(self, contexts, node, which, score=0):
        weights = self.weights.setdefault(which, [875] * 8 + [1875])
        slots = [(k, context ^ node) for k, context in enumerate(contexts)]
        inputs = [self.counters.get(slot, 0) for slot in slots]
        total = (sum(w * o for w, o in zip(weights, inputs)) >> 16) + (weights[8] * score >> 12)
        p = self.squash[2047 + min(max(total, -2047), 2047)]
        bit = self.bit(p)
        miss = ((bit << 16) - p) >> 6
        if abs(miss) < 24: return bit
        moves = [o * miss + 16384 >> 15 for o in inputs] + [score * miss + 1024 >> 11]
        self.weights[which] = [min(max(w + move, -16383), 16383) for w, move in zip(weights, moves)]
        self.counters.update((slot, after(counter, bit)) for slot, counter in zip(slots, inputs))
        return bit

    def bit(self, p):
        bound = (self.range >> 16) * p
        bit = int(self.above < bound)
        if bit: self.range = bound
        else: self.above, self.range = self.above - bound, self.range - bound
        while self.range < 1 << 24:
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.above, self.range, self.at = self.above << 8 | byte, self.range << 8, self.at + 1
        return bit


class Tree:
    """The questions that lead to the literals of a side, by their codes' levels."""

    def __init__(self, levels, n_bits):
        self.n_bits, self.nodes, n = n_bits, [], len(levels)
        self.row, ranges = [*range(0, n, 2), *range(1, n, 2)], [(0, n + 1)]
        sums = [0, *itertools.accumulate([1 << levels[code] for code in self.row] + [1])]
        for start, end in ranges:
            split = min(range(start + 1, end), key=lambda place: abs(2 * sums[place] - sums[start] - sums[end]))
            parts = []
            for part in (start, split), (split, end):
                parts.append(len(ranges) if part[1] - part[0] > 1 else None)
                if parts[-1]: ranges.append(part)
            self.nodes.append((start, split, end, parts))

    @functools.cache
    def near(self, guess):
        """The sums of the weights near a guess before each place of the row, all 0 where nothing is near it."""
        has = 2 < guess < len(self.row)
        return [0, *itertools.accumulate([weight_near(guess, code) if has else 0 for code in self.row] + [0])]


@functools.cache
def after(counter, bit):
    (odds, seen), fine = divmod(counter, 16), CURVES[2]
    p = fine[1023 + odds]
    p += ((bit << 24) - p) * (131072 // (2 * seen + 3)) >> 16
    above = bisect_left(fine, p)
    odds = min((abs(fine[at] - p), at) for at in (above - 1, above) if 0 <= at < 2047)[1] - 1023
    return 16 * odds + min(seen + 1, 15)


def weight_near(guess, code):
    if code in (0, guess): return 0
    if code < 3: return 60
    k, is_odd = divmod(abs(code - guess), 2)
    return 2 if is_odd else 1 + 4200 // (k * (k + 1))


def bits_of(are_set):
    return sum(is_set << k for k, is_set in enumerate(are_set))


MULTIPLIERS = dict(a=0x9E3779B1, b=0x85EBCA77, c=0xC2B2AE3D, d=0x27D4EB2F, e=0x165667B1, first=0xD35A2D97, second=0x7FEB352D,
                   alike=0x846CA68B, misses=0x6C62272F, v0=0xB5297A4D, v1=0x68E31DA5, v2=0x1B56C4E9, left=0xD35A2D97,
                   right=0x3C6EF373, around=0xF1BBCDCB, repeat=0xF1BBCDCB, same=0x2545F491, row_misses=0x6C62272F,
                   rank_count=0x6C62272F, plane_count=0x2545F491)
GUESSES = "first second alike, a c e, first b d, first v0 v1, first v0 v2, alike misses, v0 v1, first v1 v2"
LITERALS = "a, e, first second, v1 v2, first v0, first v1, v0 v1, first second alike"
RUNS = "around, left right, v1 v2, v0 v1, v0 v2 rank_count, same repeat, row_misses plane_count, left around"


def sums_of(contexts, start, numbers):
    sums = (start + sum(numbers[name] * MULTIPLIERS[name] for name in names.split()) for names in contexts.split(", "))
    return [each >> 16 & 65535 for each in sums]


CURVES = curves()
