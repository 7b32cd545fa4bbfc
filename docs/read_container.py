"""Reads pages of containers (.tsm, .tss, .tsq), which docs/table-format.md describes, in few lines.

Files are believed: the standard library has no BLAKE3. It needs Python 3.14, the package zstandard or libzstd.
"""

import ctypes, ctypes.util, importlib, json, struct, sys

MAGIC = b"\x89TSC\r\n\x1a\n"


def find_decompress():
    for name in "compression.zstd", "zstandard":
        try: return importlib.import_module(name).decompress
        except ImportError: pass
    find = ctypes.util.find_library
    try: library = ctypes.CDLL(find("zstd") or find("libzstd") or "libzstd.so.1")
    except OSError: sys.exit("error: no Zstandard here: install the package zstandard")
    size_of, call = library.ZSTD_getFrameContentSize, library.ZSTD_decompress
    size_of.restype = call.restype = ctypes.c_size_t

    def decompress(frame):
        size, length = ctypes.c_size_t(size_of(frame, ctypes.c_size_t(len(frame)))), ctypes.c_size_t(len(frame))
        buffer = ctypes.create_string_buffer(size.value)
        assert call(buffer, size, frame, length) == size.value, "a damaged page"
        return buffer.raw
    return decompress


decompress = find_decompress()


class Container:
    """`about` is what the file says of its pages; `pages` has coding, parameter, codes, place and bytes of each by
    (table, side to move, unit, page)."""

    def __init__(self, path):
        self.data = d = open(path, "rb").read()
        assert d[:8] == d[-8:] == MAGIC and d[8:12] == b"\1\0\0\0", "no whole container of version 1"
        self.kind, end = d[12:16].rstrip(b"\0").decode(), len(d) - 32
        index = decompress(d[end - struct.unpack_from("<Q", d, end)[0]:end])
        n_about = struct.unpack_from("<I", index)[0]
        self.about, rest = json.loads(index[4:4 + n_about]), index[4 + n_about:]
        n, at, self.pages = len(rest) // 39, 48, {}
        numbers = [struct.unpack_from(f"<{n}I", rest, 4 * n * column) for column in range(5)]
        small = [rest[(20 + column) * n:(21 + column) * n] for column in range(3)]
        for table, unit, page, n_codes, n_bytes, stm, coding, parameter in zip(*numbers, *small):
            self.pages[table, stm, unit, page] = coding, parameter, n_codes, at, n_bytes
            at += n_bytes

    def bytes(self, *key):
        """The coding of a page, how many codes it has, and its bytes as they are in the file."""
        coding, _, n_codes, at, n_bytes = self.pages[key]
        return coding, n_codes, self.data[at:at + n_bytes]

    def codes(self, *key):
        """The codes of a page as they stand there; of a .tsq eight bits in each."""
        coding, n, packed = self.bytes(*key)
        codes = decompress(packed)
        if coding == 2: return [low | high << 8 for low, high in zip(codes[:n], codes[n:])]
        return [code for both in codes for code in (both & 15, both >> 4)][:n] if coding == 3 else codes
