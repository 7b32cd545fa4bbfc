// Draws men: the six of chess by their names, all others as a letter on a disc. Drawn for this program.

const SVG = "http://www.w3.org/2000/svg";

// In a square of 48 × 48: bodies are filled with the side's colour, lines are drawn on them.
const DRAWINGS = {
  king: { body: ["M22 3h4v4h4v4h-4v6h-4v-6h-4V7h4z", "M24 17c-4 0-7 3-8 6-5-2-10 1-10 6 0 5 4 7 7 11h22c3-4 7-6 7-11 0-5-5-8-10-6-1-3-4-6-8-6z", "M11 41h26v4H11z"], line: ["M24 22v14"] },
  queen: { body: ["M6 16l6 8 3-13 6 12 3-14 3 14 6-12 3 13 6-8-5 24H11z", "M11 41h26v4H11z", "M4 14a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M12.500 9a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M21.500 6.500a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M30.500 9a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M39 14a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0"], line: ["M13 35h22"] },
  rook: { body: ["M11 7h6v4h4V7h6v4h4V7h6v9l-4 4v14l4 4v3H11v-3l4-4V20l-4-4z", "M9 41h30v4H9z"], line: ["M15 20h18M15 34h18"] },
  bishop: { body: ["M21 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M24 10c-7 5-11 10-11 17 0 4 3 7 5 9h12c2-2 5-5 5-9 0-7-4-12-11-17z", "M14 36h20v5H14z", "M9 41h30v4H9z"], line: ["M24 17v9M20 21h8"] },
  knight: { body: ["M14 41c0-9 6-12 9-18-4 1-6 4-10 4-3 0-5-2-4-5 3-4 5-8 8-11V6l5 3c9 0 16 7 16 18 0 6-1 10-1 14z", "M10 41h30v4H10z"], line: ["M18.500 15.500h.6", "M30 16c4 4 5 10 4 18"] },
  pawn: { body: ["M24 20c-6 0-8 3-6 6-4 3-6 8-6 15h24c0-7-2-12-6-15 2-3 0-6-6-6z", "M18 14a6 6 0 1 0 12 0a6 6 0 1 0-12 0", "M10 41h28v4H10z"], line: [] },
};

export function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// A man by its letter in a FEN.
export function drawMan(game, letter) {
  const isWhite = letter === letter.toUpperCase();
  const piece = game.pieces.find((piece) => piece.letter === letter.toUpperCase());
  const man = svg("svg", { viewBox: "0 0 48 48", class: `man ${isWhite ? "white" : "black"}`, "aria-hidden": "true" });
  const drawing = DRAWINGS[piece?.name];
  if (drawing) {
    for (const d of drawing.body) man.append(svg("path", { d, class: "body" }));
    for (const d of drawing.line) man.append(svg("path", { d, class: "line" }));
  } else {
    man.append(svg("circle", { cx: 24, cy: 24, r: 19, class: "body" }));
    const text = svg("text", { x: 24, y: 25 });
    text.textContent = letter.toUpperCase();
    man.append(text);
  }
  return man;
}

// "white queen"
export function manName(game, letter) {
  const piece = game.pieces.find((piece) => piece.letter === letter.toUpperCase());
  return `${letter === letter.toUpperCase() ? "white" : "black"} ${piece?.name ?? letter}`;
}
