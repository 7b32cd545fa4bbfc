// Shows a board of any size with its men, and reports what a person does on it: clicks, drags, keys.

import { drawMan, manName, svg } from "./men.js";

const DRAG_PIXELS = 5;

// The men of a FEN as a map from squares to letters.
export function menOf(game, fen) {
  const men = new Map();
  const { files, ranks } = game.board;
  fen.split(/\s+/)[0].split("/").forEach((row, i) => {
    let file = 0;
    for (const [token] of row.matchAll(/\d+|./g)) {
      if (/^\d/.test(token)) file += Number(token);
      else {
        if (token !== "*" && file < files && i < ranks) men.set(squareName(file, ranks - 1 - i), token);
        file += 1;
      }
    }
  });
  return men;
}

// The first field of a FEN.
export function fenOf(game, men) {
  const { files, ranks, holes } = game.board;
  const rows = [];
  for (let rank = ranks - 1; rank >= 0; rank--) {
    let row = "", empty = 0;
    for (let file = 0; file < files; file++) {
      const name = squareName(file, rank);
      const token = men.get(name) ?? (holes.includes(name) ? "*" : null);
      if (token === null) { empty += 1; continue; }
      if (empty) row += empty;
      empty = 0;
      row += token;
    }
    rows.push(row + (empty || ""));
  }
  return rows.join("/");
}

export function squareName(file, rank) {
  return String.fromCharCode(97 + file) + (rank + 1);
}

export function place(square) {
  return [square.charCodeAt(0) - 97, Number(square.slice(1)) - 1];
}

function part(name) {
  const made = document.createElement("div");
  made.className = name;
  return made;
}

export class Board {
  // `events`: may(square) says whether a man may be picked up; drop(from, to) and click(square) say what was
  // done; discard(from) is a man dragged off the board; holds() says whether a man is picked up. A board
  // without events is a picture, and has no coordinates.
  constructor(parent, events = null) {
    this.element = part("board");
    this.events = events;
    this.men = new Map();
    this.isFlipped = false;
    this.at = null;
    this.arrows = [];
    this.last = [];
    if (!events) {
      parent.replaceChildren(this.element);
      return;
    }
    this.ranks = part("ranks");
    this.files = part("files");
    const frame = part("frame");
    frame.append(this.ranks, this.element, this.files);
    parent.replaceChildren(frame);
    // Whether the board has the focus because it was clicked on; then left and right are not its keys.
    this.isByMouse = false;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", "Board");
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("pointerdown", (event) => this.onDown(event));
    this.element.addEventListener("click", (event) => this.onClick(event));
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(event.relatedTarget)) this.isByMouse = false;
    });
  }

  // `last` are the squares of the move that led here.
  show(game, men, last = []) {
    const isNew = this.game !== game;
    this.game = game;
    this.men = men;
    this.last = last;
    if (isNew) this.build();
    for (const [name, square] of this.squares) {
      const letter = men.get(name);
      if (square.dataset.man !== (letter ?? "")) {
        square.dataset.man = letter ?? "";
        square.querySelector(".man")?.remove();
        if (letter) square.append(drawMan(game, letter));
      }
      square.classList.toggle("last", last.includes(name));
      if (!this.events) continue;
      const words = [name, letter ? manName(game, letter) : "empty", ...(last.includes(name) ? ["last move"] : [])];
      square.setAttribute("aria-label", words.join(", "));
    }
  }

  flip() {
    this.isFlipped = !this.isFlipped;
    this.build();
    this.show(this.game, this.men, this.last);
    this.point(this.arrows);
  }

  build() {
    const { files, ranks, holes } = this.game.board;
    this.element.style.gridTemplateColumns = `repeat(${files}, 1fr)`;
    this.element.style.gridTemplateRows = `repeat(${ranks}, 1fr)`;
    this.element.style.setProperty("--shape", `${files} / ${ranks}`);
    this.squares = new Map();
    const rows = [];
    for (let row = 0; row < ranks; row++) {
      const cells = [];
      for (let column = 0; column < files; column++) {
        const [file, rank] = this.isFlipped ? [files - 1 - column, row] : [column, ranks - 1 - row];
        const name = squareName(file, rank);
        const isHole = holes.includes(name);
        const cell = document.createElement(this.events && !isHole ? "button" : "div");
        cell.className = `square${(file + rank) % 2 ? "" : " dark"}${isHole ? " hole" : ""}`;
        if (!isHole) {
          cell.dataset.square = name;
          this.squares.set(name, cell);
        }
        if (this.events && !isHole) {
          cell.type = "button";
          cell.tabIndex = -1;
          cell.setAttribute("role", "gridcell");
        }
        if (isHole) cell.setAttribute("aria-hidden", "true");
        cells.push(cell);
      }
      // A row is there for screen readers; its squares lie in the grid of the board.
      const line = document.createElement("div");
      line.className = "rank";
      if (this.events) line.setAttribute("role", "row");
      line.append(...cells);
      rows.push(line);
    }
    this.arrowLayer = svg("svg", { class: "arrows", viewBox: `0 0 ${files} ${ranks}`, "aria-hidden": "true" });
    this.element.replaceChildren(...rows, this.arrowLayer);
    if (!this.squares.has(this.at)) this.at = this.squares.keys().next().value;
    if (!this.events) return;
    this.squares.get(this.at).tabIndex = 0;
    this.writeCoordinates();
  }

  // The names of ranks and files, outside of the squares.
  writeCoordinates() {
    const { files, ranks } = this.game.board;
    const frame = this.element.parentElement;
    frame.style.setProperty("--n-files", files);
    frame.style.setProperty("--n-ranks", ranks);
    const numbers = [...Array(ranks).keys()].map((i) => String(this.isFlipped ? i + 1 : ranks - i));
    const letters = [...Array(files).keys()].map((i) => squareName(this.isFlipped ? files - 1 - i : i, 0)[0]);
    for (const [place, names] of [[this.ranks, numbers], [this.files, letters]]) {
      place.setAttribute("aria-hidden", "true");
      place.replaceChildren(...names.map((name) => {
        const label = document.createElement("span");
        label.textContent = name;
        return label;
      }));
    }
  }

  // Marks the square of a man that was picked up and those that it may go to.
  mark(chosen, targets) {
    for (const [name, square] of this.squares) {
      square.classList.toggle("chosen", name === chosen);
      square.classList.toggle("target", targets.includes(name));
      square.classList.toggle("taken", targets.includes(name) && this.men.has(name));
    }
  }

  // Arrows: [{ from, to, kind }], `kind` being a class.
  point(arrows) {
    this.arrows = arrows;
    const { files, ranks } = this.game.board;
    const centre = (name) => {
      const [file, rank] = place(name);
      return this.isFlipped ? [files - file - 0.5, rank + 0.5] : [file + 0.5, ranks - rank - 0.5];
    };
    this.arrowLayer.replaceChildren(...arrows.filter(({ from, to }) => from !== to).map(({ from, to, kind }) => {
      const [x1, y1] = centre(from), [x2, y2] = centre(to);
      const length = Math.hypot(x2 - x1, y2 - y1);
      const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
      const [hx, hy] = [x2 - dx * 0.42, y2 - dy * 0.42];
      const group = svg("g", { class: kind });
      group.append(
        svg("line", { x1: x1 + dx * 0.2, y1: y1 + dy * 0.2, x2: hx, y2: hy }),
        svg("polygon", { points: `${x2 - dx * 0.06},${y2 - dy * 0.06} ${hx - dy * 0.22},${hy + dx * 0.22} ${hx + dy * 0.22},${hy - dx * 0.22}` }),
      );
      return group;
    }));
  }

  squareAt(x, y) {
    const cell = document.elementsFromPoint(x, y).find((element) => element.dataset?.square);
    return cell && this.element.contains(cell) ? cell.dataset.square : null;
  }

  focus(name) {
    this.squares.get(this.at).tabIndex = -1;
    this.at = name;
    const square = this.squares.get(name);
    square.tabIndex = 0;
    square.focus();
  }

  onClick(event) {
    // A drag ends with a click on the square where it began, if it comes back there.
    if (this.hasDragged) { this.hasDragged = false; return; }
    const name = event.target.closest?.("[data-square]")?.dataset.square;
    if (!name) return;
    this.focus(name);
    this.events.click(name);
  }

  onKey(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const isVertical = step[0] === 0;
    if (this.isByMouse && !isVertical && !this.events.holds()) return;
    this.isByMouse = false;
    event.preventDefault();
    const turn = this.isFlipped ? -1 : 1;
    let [file, rank] = place(this.at);
    // Holes are passed over.
    for (;;) {
      file += step[0] * turn;
      rank += step[1] * turn;
      const { files, ranks } = this.game.board;
      if (file < 0 || rank < 0 || file >= files || rank >= ranks) return;
      if (this.squares.has(squareName(file, rank))) break;
    }
    this.focus(squareName(file, rank));
  }

  onDown(event) {
    this.isByMouse = true;
    const name = event.target.closest?.("[data-square]")?.dataset.square;
    this.hasDragged = false;
    if (!name || event.button !== 0 || !this.men.has(name) || !this.events.may(name)) return;
    const square = this.squares.get(name);
    const { width, height } = square.getBoundingClientRect();
    const begin = [event.clientX, event.clientY];
    let floating = null;
    const move = (event) => {
      if (!floating && Math.hypot(event.clientX - begin[0], event.clientY - begin[1]) < DRAG_PIXELS) return;
      if (!floating) {
        floating = drawMan(this.game, this.men.get(name));
        floating.classList.add("floating");
        floating.style.width = `${width}px`;
        floating.style.height = `${height}px`;
        document.body.append(floating);
        square.querySelector(".man").style.opacity = 0.25;
        this.events.lift(name);
      }
      floating.style.left = `${event.clientX - width / 2}px`;
      floating.style.top = `${event.clientY - height / 2}px`;
    };
    const end = (event) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      if (!floating) return;
      floating.remove();
      const man = square.querySelector(".man");
      if (man) man.style.opacity = "";
      // The click that follows a drag is none, if one follows.
      this.hasDragged = true;
      setTimeout(() => { this.hasDragged = false; }, 0);
      const to = event.type === "pointerup" ? this.squareAt(event.clientX, event.clientY) : name;
      if (to === null) this.events.discard(name);
      else this.events.drop(name, to);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }
}
