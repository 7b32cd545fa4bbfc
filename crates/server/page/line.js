// Keeps a line of moves that can be left and come back to, and writes it as PGN.
//
// The main line has what was played and what the tables expect behind it. Another move than its next one
// begins the side line, and the main line stays as it is; one more move that leaves it takes the place of the
// side line. `exchange` makes the side line the main one, and the main one's rest the side line.
// A move has `san`, `uci` and the `fen` behind it.

// The fields of a FEN. Where checks are counted `checks` has those that are left, `2+3`, or those that were
// given, `+1+0`, which may stand behind the clocks; elsewhere it is "".
export function splitFen(fen) {
  const fields = fen.trim().split(/\s+/);
  const at = fields.findIndex((field, n) => n > 3 && /^\+?\d+\+\d+$/.test(field));
  const [checks] = at < 0 ? [""] : fields.splice(at, 1);
  const [men, stm = "w", castling = "-", passed = "-", halfmove = "0", fullmove = "1"] = fields;
  return { men, stm, castling, passed, checks, halfmove, fullmove };
}

export function joinFen({ men, stm, castling, passed, checks, halfmove, fullmove }) {
  return [men, stm, castling, passed, ...(checks ? [checks] : []), halfmove, fullmove].join(" ");
}

// A FEN with its clocks at the start: a line goes on where all else agrees.
const boardOf = (fen) => joinFen({ ...splitFen(fen), halfmove: 0, fullmove: 1 });

// The most characters in a line of PGN.
const PGN_WIDTH = 80;

export class Line {
  constructor(fen, metric) {
    this.start = fen;
    this.metric = metric;
    this.main = { from: 0, moves: [], n_seen: 0 };
    this.side = null;
    this.isOnSide = false;
    // How many moves have been made from the start.
    this.n = 0;
  }

  get branch() {
    return this.isOnSide ? this.side : this.main;
  }

  // All moves from the start along the main or the side line.
  moves(isOnSide = this.isOnSide) {
    if (!isOnSide) return this.main.moves;
    return [...this.main.moves.slice(0, this.side.from), ...this.side.moves];
  }

  fenAt(n, isOnSide = this.isOnSide) {
    return n === 0 ? this.start : this.moves(isOnSide)[n - 1].fen;
  }

  // The move that led to where we are; none at the start.
  get last() {
    return this.moves()[this.n - 1] ?? null;
  }

  get length() {
    return this.moves().length;
  }

  // Goes to where `n` moves have been made. Up to where the side line begins we are on the main line.
  goTo(n, isOnSide = this.isOnSide) {
    this.isOnSide = isOnSide && n > this.side.from;
    this.n = n;
    this.branch.n_seen = Math.max(this.branch.n_seen, n);
  }

  play(move) {
    const { n, main, side } = this;
    if (this.moves()[n]?.uci === move.uci) return this.goTo(n + 1);
    if (!this.isOnSide && side?.from === n && side.moves[0].uci === move.uci) return this.goTo(n + 1, true);
    if (this.isOnSide || n === main.moves.length) this.cut();
    else {
      this.side = { from: n, moves: [], n_seen: n };
      this.isOnSide = true;
    }
    this.branch.moves.push(move);
    return this.goTo(n + 1);
  }

  // Leaves out what comes behind here, and a side line that begins there.
  cut() {
    const { branch } = this;
    branch.moves.length = this.n - branch.from;
    branch.n_seen = this.n;
    if (!this.isOnSide && this.side?.from >= this.n) this.side = null;
  }

  // Goes on with these moves, if nothing comes behind here yet.
  extend(moves) {
    if (this.n === this.length) this.branch.moves.push(...moves);
  }

  // Makes the side line the main line, and the other way round.
  exchange() {
    const { from, moves, n_seen } = this.side;
    const rest = { from, moves: this.main.moves.slice(from), n_seen: this.main.n_seen };
    this.main = { from: 0, moves: this.moves(true), n_seen };
    this.side = rest;
    this.isOnSide = !this.isOnSide && this.n > from;
  }

  // Goes to the nearest place with this board, first on the line we are on; whether there is one.
  goToBoard(fen) {
    const board = boardOf(fen);
    const lines = [this.isOnSide, !this.isOnSide].filter((isOnSide) => !isOnSide || this.side);
    for (const isOnSide of lines) {
      const places = [...Array(this.moves(isOnSide).length + 1).keys()];
      const found = places.filter((n) => boardOf(this.fenAt(n, isOnSide)) === board);
      found.sort((a, b) => Math.abs(a - this.n) - Math.abs(b - this.n));
      if (!found.length) continue;
      this.goTo(found[0], isOnSide);
      return true;
    }
    return false;
  }

  // "3." or "3…" before the move that comes after `n` moves; nothing before one of Black's that follows
  // White's.
  number(n, isFirst) {
    const { stm, fullmove } = splitFen(this.start);
    const halves = n + (stm === "b" ? 1 : 0);
    const number = Number(fullmove) + Math.floor(halves / 2);
    if (halves % 2 === 0) return `${number}.`;
    return isFirst ? `${number}…` : "";
  }

  // Both lines as PGN, the side line in parentheses.
  pgn(variant) {
    const { main, side } = this;
    const words = [];
    main.moves.forEach((move, n) => {
      words.push(...this.words(move, n, n === 0 || side?.from === n - 1));
      if (side?.from !== n) return;
      const own = side.moves.flatMap((move, i) => this.words(move, n + i, i === 0));
      own[0] = `(${own[0]}`;
      own[own.length - 1] += ")";
      words.push(...own);
    });
    words.push(this.result());
    const tags = [
      ["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"],
      ["Result", this.result()], ...(variant ? [["Variant", variant]] : []), ["SetUp", "1"], ["FEN", this.start],
    ];
    return `${tags.map(([name, value]) => `[${name} "${value}"]\n`).join("")}\n${wrapped(words)}\n`;
  }

  words(move, n, isFirst) {
    return [this.number(n, isFirst).replace("…", "..."), move.san].filter(Boolean);
  }

  // A mate at its end is a result; otherwise the game goes on.
  result() {
    const { moves } = this.main;
    if (!moves.at(-1)?.san.endsWith("#")) return "*";
    const isWhite = (splitFen(this.start).stm === "w") === (moves.length % 2 === 1);
    return isWhite ? "1-0" : "0-1";
  }
}

function wrapped(words) {
  const rows = [""];
  for (const word of words) {
    const row = rows.at(-1);
    if (row && row.length + 1 + word.length > PGN_WIDTH) rows.push(word);
    else rows[rows.length - 1] = row ? `${row} ${word}` : word;
  }
  return rows.join("\n");
}
