// Runs the explorer: the address says what is shown, the server what is known of it.
//
// Addresses: /?game=fide&fen=…&metric=… a position, &view=tables the tables, &table=KQvKR one of them,
// &view=pieces the pieces (&piece=Q leads to one). Spaces of a FEN are written as underscores.

import { Board, fenOf, menOf, place } from "./board.js";
import { drawMan, manName } from "./men.js";

const $ = (id) => document.getElementById(id);
const API = "/api/v1";
// Answers that come sooner are not announced as being on their way.
const PATIENCE_MS = 150;
const METRICS = ["dtm", "dtz50", "dtz", "dtc", "wdl"];
// No table has more.
const MOST_MEN = 8;

let games = [];
let game = null;
let board = null;
let answer = null;
// The main line that is stepped through: positions and moves, and how far we are.
let line = null;
let chosen = null;
let edit = null;
let asking = null;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const number = (n) => (n === null || n === undefined ? "–" : n.toLocaleString("en"));

function bytes(n) {
  for (const [unit, name] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) if (n >= unit) return `${(n / unit).toFixed(1)} ${name}`;
  return `${n} B`;
}

const moves = (plies) => { const n = Math.ceil(plies / 2); return `${number(n)} move${n === 1 ? "" : "s"}`; };
const pliesText = (plies) => `${number(plies)} ${plies === 1 ? "ply" : "plies"}`;

function say(text, isError = false) {
  $("status").textContent = text;
  $("status").classList.toggle("error", isError);
}

// Asks the server; says after a while that it is being asked; an answer that nobody waits for is dropped.
async function ask(path) {
  asking?.abort();
  const own = (asking = new AbortController());
  const timer = setTimeout(() => say("Looking it up …"), PATIENCE_MS);
  document.body.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(API + path, { signal: own.signal });
    const body = await response.json().catch(() => ({ message: `the server answered with status ${response.status}` }));
    if (own !== asking) return null;
    if (!response.ok) throw new Error(body.message);
    say("");
    return body;
  } catch (error) {
    if (own !== asking || error.name === "AbortError") return null;
    const isGone = error instanceof TypeError;
    say(isGone ? "The server does not answer. Is it still running?" : sentence(error.message), true);
    throw error;
  } finally {
    clearTimeout(timer);
    if (own === asking) document.body.removeAttribute("aria-busy");
  }
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// ---- Addresses

function address(parts) {
  const query = Object.entries({ game: game?.name, ...parts })
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(key === "fen" ? value.replaceAll(" ", "_") : value).replaceAll("%2F", "/")}`);
  return `/?${query.join("&")}`;
}

function go(parts, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address(parts));
  return show();
}

async function show() {
  const query = new URLSearchParams(location.search);
  // The server names chess first, if it has it.
  const first = games.find(({ metrics }) => metrics.length) ?? games[0];
  const wanted = query.get("game") ?? first.name;
  const found = games.find(({ name, alias }) => name === wanted || alias === wanted);
  if (!found) return showNothing(wanted);
  const before = game;
  game = found;
  $("game").value = game.name;
  if (before !== game) { edit = null; line = null; chosen = null; }
  $("to-board").href = address({ fen: answer && before === game ? answer.fen : null });
  $("home").href = address({});
  $("to-tables").href = address({ view: "tables" });
  $("to-pieces").href = address({ view: "pieces" });
  const view = query.has("table") ? "table" : (query.get("view") ?? "board");
  for (const name of ["board", "tables", "table", "pieces"]) $(`view-${name}`).hidden = name !== view;
  for (const [id, name] of [["to-board", "board"], ["to-tables", "tables"], ["to-pieces", "pieces"]]) {
    const isHere = view === name || (view === "table" && name === "tables");
    if (isHere) $(id).setAttribute("aria-current", "page");
    else $(id).removeAttribute("aria-current");
  }
  try {
    if (view === "tables") await showTables();
    else if (view === "table") await showTable(query.get("table"), query.get("metric"));
    else if (view === "pieces") await showPieces();
    else {
      $("view-board").hidden = false;
      await showPosition((query.get("fen") ?? game.fen ?? "").replaceAll("_", " "), query.get("metric"));
    }
  } catch (error) {
    // It was said already.
    if (!$("status").textContent) say(sentence(error.message), true);
  }
}

// A link to a game that is not served shows no other one in its place.
function showNothing(wanted) {
  asking?.abort();
  asking = null;
  game = answer = line = chosen = edit = null;
  document.body.removeAttribute("aria-busy");
  document.title = "Tablesmith explorer";
  for (const name of ["board", "tables", "table", "pieces"]) $(`view-${name}`).hidden = true;
  for (const id of ["to-board", "to-tables", "to-pieces"]) $(id).removeAttribute("aria-current");
  $("game").value = "";
  say(`There is no game ${wanted} here; there are ${games.map(({ name }) => name).join(", ")}.`, true);
}

// ---- A position

async function showPosition(fen, metric) {
  document.title = `${game.name}: ${fen}`;
  board ??= new Board($("board"), { may, lift, drop, discard, click });
  chosen = null;
  board.show(game, menOf(game, fen));
  board.mark(null, []);
  board.point([]);
  $("fen").value = fen;
  const fields = fen.split(/\s+/);
  $("clock-label").hidden = !game.rule_plies;
  $("clock").value = fields[4] ?? 0;
  showMetrics(metric);
  showEdit();
  answer = null;
  // What is known of the position before is not of this one.
  $("value").textContent = "…";
  $("value").className = "";
  $("source").textContent = "";
  $("moves").setAttribute("aria-busy", "true");
  $("moves").inert = true;
  let found;
  try {
    const query = new URLSearchParams({ fen, line: "true", ...(metric ? { metric } : {}) });
    found = await ask(`/games/${game.name}/probe?${query}`);
  } catch (error) {
    $("value").textContent = "No answer";
    $("line-box").hidden = true;
    $("moves").replaceChildren();
    $("moves").removeAttribute("aria-busy");
    $("moves").inert = false;
    throw error;
  }
  // Another position was asked for in the meantime, and waits.
  if (!found) return;
  $("moves").removeAttribute("aria-busy");
  $("moves").inert = false;
  answer = found;
  const value = answer.wdl_now ?? answer.wdl;
  $("value").textContent = sentence(answer.text);
  $("value").className = value === null ? "" : ["loss", "draw", "win"][value + 1];
  const from = answer.solved ? "solved just now, in memory" : answer.files ? `from ${answer.files.join("; ")}` : answer.file ? `from ${answer.file}` : answer.by === "moves" ? "from the tables of its moves" : "by the rules";
  const isKnown = answer.wdl !== null || answer.at_least || answer.at_most;
  const parts = isKnown ? [from] : [];
  if (answer.missing) {
    if (parts.length) parts.push(`; ${answer.missing} is missing, so not all is known. `);
    const way = answer.solve_position ? solveAlone(answer.fen) : remedy(answer.missing, answer.metric, fields[2]?.match(/[a-z]/i) ? " --rights" : "");
    parts.push(...way);
  }
  $("source").replaceChildren(...parts);
  const material = materialOf(answer.fen);
  if (material && ((answer.file && !/\.ts[swr]$/.test(answer.file)) || answer.solved)) $("source").append(" · ", link(address({ table: material, metric: answer.metric }), material));
  showMoves();
  showLine();
  pointBest();
}

// Arrows for the best moves; of moves that draw there may be too many.
function pointBest() {
  const best = answer.moves.filter((move, _, [first]) => move.wdl !== null && distance(move) === distance(first) && move.wdl === first.wdl);
  const kind = (move) => ["loss", "draw", "win"][now(move) + 1];
  const [first] = best;
  const drawn = first && first.wdl === 0 ? best.slice(0, 8) : best;
  board.point(drawn.map((move) => ({ ...squares(move.uci), kind: kind(move) })));
}

// The squares of a move in coordinates; a rank may have two digits.
function squares(uci) {
  const [, from, to] = uci.match(/^([a-z]\d+)([a-z]\d+)/);
  return { from, to };
}

const distance = (move) => move.dtm ?? move.dtz50 ?? move.dtz ?? move.dtc ?? null;

// The name of the table of a FEN's men, as tables are named, colours as they stand.
function materialOf(fen) {
  const men = [...menOf(game, fen).values()];
  const side = (isOwn) => game.pieces.map(({ letter }) => letter.repeat(men.filter((man) => isOwn(man) && man.toUpperCase() === letter).length)).join("");
  const [white, black] = [side((man) => man === man.toUpperCase()), side((man) => man !== man.toUpperCase())];
  return white && black ? `${white}v${black}` : null;
}

// The command that makes a table, where the server names one and a table can have so many men.
function remedy(table, metric, more = "") {
  const isPossible = game.solve && table.replace("v", "").length <= MOST_MEN;
  return isPossible ? ["This makes it: ", element("code", {}, `${game.solve} --table ${table} --metric ${metric}${more}`)] : [];
}

// The command that solves a position alone, where the server names one.
function solveAlone(fen) {
  return game.solve ? ["This solves it alone, and may take long (plan says how long): ", element("code", {}, `${game.solve} --position "${fen}"`)] : [];
}

function link(href, text) {
  return element("a", { href, "data-nav": true }, text);
}

function valueText(move) {
  if (move.at_least || move.at_most) {
    const bounds = [["at least", move.at_least], ["at most", move.at_most]].filter(([, bound]) => bound);
    return bounds.map(([word, bound]) => `${word} ${valueText(bound)}`).join(", ");
  }
  if (move.wdl === null) return "not known";
  const plies = distance(move);
  const metric = answer.metric;
  const verb = { 1: "wins", 0: "draws", "-1": "loses" }[move.wdl];
  if (move.wdl === 0) return "draws";
  if (plies === null || metric === "wdl") return verb;
  const count = `in ${moves(plies)}, ${pliesText(plies)}`;
  return move.wdl_now === 0 ? `draws, ${verb} too late: ${count}` : `${verb} ${count}`;
}

function showMoves() {
  const groups = [["win", "Wins", (m) => now(m) === 1], ["draw", "Draws", (m) => now(m) === 0], ["loss", "Losses", (m) => now(m) === -1], ["open", "Open", (m) => m.wdl === null && isBounded(m)], ["unknown", "Not known", (m) => m.wdl === null && !isBounded(m)]];
  const shown = groups.map(([kind, title, is]) => {
    const own = answer.moves.filter(is);
    if (!own.length) return null;
    const items = own.map((move) => element("li", {}, element("button", {
      type: "button", class: "move", "data-uci": move.uci, onclick: () => play(move),
      onmouseenter: () => board.point([{ ...squares(move.uci), kind }]),
    }, element("b", {}, move.san), element("span", {}, valueText(move)))));
    return element("section", { class: `group ${kind}` }, element("h3", {}, `${title} (${own.length})`), element("ul", {}, ...items));
  });
  const note = answer.moves.length ? null : element("p", {}, answer.outcome ? `The game is over: ${answer.outcome}.` : "There is no legal move.");
  $("moves").replaceChildren(...shown.filter(Boolean), ...(note ? [note] : []));
}

// Whether it is known what a move is worth at least or at most.
const isBounded = (move) => Boolean(move.at_least || move.at_most);

const now = (move) => (move.wdl === null ? null : (move.wdl_now ?? move.wdl));

// The board of a FEN without its clocks: a line that is stepped through goes on at the same board.
const boardOf = (fen) => fen.split(" ").slice(0, 4).join(" ");

function showLine() {
  const at = line?.fens.findIndex((fen) => boardOf(fen) === boardOf(answer.fen)) ?? -1;
  if (line && line.metric === answer.metric && at >= 0) line.at = at;
  else if (answer.main_line?.length) {
    line = { metric: answer.metric, fens: [answer.fen, ...answer.main_line.map((move) => move.fen)], moves: answer.main_line, at: 0 };
  } else line = null;
  $("line-box").hidden = !line;
  if (!line) return;
  const begin = line.fens[0].split(" ");
  let moveNumber = Number(begin[5] ?? 1), isWhite = begin[1] === "w";
  const items = line.moves.map((move, i) => {
    const label = isWhite ? `${moveNumber}. ` : i === 0 ? `${moveNumber}… ` : "";
    if (!isWhite) moveNumber += 1;
    isWhite = !isWhite;
    return element("li", {}, label, element("button", { type: "button", "data-at": i + 1, "aria-current": line.at === i + 1 ? "step" : null, onclick: () => step(i + 1) }, move.san + (move.stop ? "*" : "")));
  });
  $("line").replaceChildren(...items);
  $("line-back").disabled = line.at === 0;
  $("line-on").disabled = line.at === line.moves.length;
  $("line").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function step(to) {
  if (!line || to < 0 || to > line.moves.length) return;
  goTo(line.fens[to]);
}

function goTo(fen, options) {
  return go({ fen, metric: new URLSearchParams(location.search).get("metric") }, options);
}

function play(move) {
  chosen = null;
  goTo(move.fen);
}

// Plays the move between two squares; asks which, where several share them.
function playBetween(from, to) {
  const own = (answer?.moves ?? []).filter((move) => { const s = squares(move.uci); return s.from === from && s.to === to; });
  if (own.length === 1) return play(own[0]);
  if (own.length > 1) {
    $("choices").replaceChildren(...own.map((move) => element("button", { value: move.uci, onclick: () => play(move) }, move.san)),
      element("button", { class: "leave" }, "Cancel"));
    $("choose").showModal();
    return undefined;
  }
  board.show(game, board.men);
  pick(null);
  return undefined;
}

function pick(square) {
  chosen = square;
  const targets = square && !edit ? (answer?.moves ?? []).map((move) => squares(move.uci)).filter(({ from }) => from === square).map(({ to }) => to) : [];
  board.mark(square, targets);
}

const isOwn = (square) => {
  const letter = board.men.get(square);
  return letter && (letter === letter.toUpperCase()) === ($("fen").value.split(/\s+/)[1] !== "b");
};

// ---- What a person does on the board

function may(square) {
  return edit ? true : isOwn(square);
}

function lift(square) {
  pick(square);
}

function drop(from, to) {
  if (!edit) return from === to ? pick(null) : playBetween(from, to);
  const men = new Map(board.men);
  const man = men.get(from);
  men.delete(from);
  men.set(to, man);
  return changed(men);
}

function discard(from) {
  if (!edit) return pick(null);
  const men = new Map(board.men);
  men.delete(from);
  return changed(men);
}

function click(square) {
  if (!edit) {
    if (chosen && chosen !== square && !isOwn(square)) playBetween(chosen, square);
    else pick(chosen === square || !isOwn(square) ? null : square);
    return;
  }
  const men = new Map(board.men);
  if (edit.man === "" || men.get(square) === edit.man) men.delete(square);
  else if (edit.man) men.set(square, edit.man);
  changed(men);
}

// ---- Editing

// All that is changed between Edit and Done is one step of the history, behind the position that was there.
// Castling rights stay with a king and a rook that stay.
async function changed(men, wanted = null) {
  const [, stm = "w", rights = "-"] = $("fen").value.split(/\s+/);
  const kept = [...rights].filter((right) => right === "-" || sameCastlers(right, board.men, men));
  const gone = [...rights].filter((right) => !kept.includes(right));
  const clock = $("clock").value || 0;
  const replace = edit.hasChanged;
  edit.hasChanged = true;
  await goTo(`${fenOf(game, men)} ${wanted ?? stm} ${kept.join("") || "-"} - ${clock} 1`, { replace });
  if (gone.length && !$("status").textContent) say(`The castling right${gone.length > 1 ? "s" : ""} ${gone.join("")} went with the men.`);
}

// Whether those whom a letter of a FEN's castling rights is about stand where they stood: the king, and the
// outermost man of a wing (K, Q) or the one on a file.
function sameCastlers(right, before, after) {
  const own = (letter) => (right === right.toUpperCase() ? letter : letter.toLowerCase());
  const royal = game.pieces.filter((piece) => piece.royal).map(({ letter }) => own(letter));
  const king = [...before].find(([, man]) => royal.includes(man))?.[0];
  if (!king) return false;
  const [file, rank] = place(king);
  const wing = { K: 1, Q: -1 }[right.toUpperCase()];
  const beyond = [...before].map(([square]) => square).filter((square) => {
    const [f, r] = place(square);
    return r === rank && (wing ? (f - file) * wing > 0 : f === right.toLowerCase().charCodeAt(0) - 97) && own(before.get(square).toUpperCase()) === before.get(square);
  });
  const far = (square) => Math.abs(place(square)[0] - file);
  const other = beyond.sort((a, b) => far(b) - far(a))[0];
  return [king, other].every((square) => square && before.get(square) === after.get(square));
}

function showEdit() {
  $("edit").setAttribute("aria-pressed", String(Boolean(edit)));
  $("edit").textContent = edit ? "Done" : "Edit";
  for (const id of ["palette", "clear", "stm"]) $(id).hidden = !edit;
  if (!edit) return;
  $("stm").textContent = $("fen").value.split(/\s+/)[1] === "b" ? "Black to move" : "White to move";
  const letters = game.pieces.flatMap(({ letter }) => [letter, letter.toLowerCase()]);
  const white = letters.filter((letter) => letter === letter.toUpperCase());
  const black = letters.filter((letter) => letter !== letter.toUpperCase());
  const button = (letter) => {
    const made = element("button", {
      type: "button", "data-man": letter, "aria-pressed": String(edit.man === letter),
      "aria-label": letter ? manName(game, letter) : "take men away", onclick: () => { edit.man = letter; showEdit(); },
    }, letter ? drawMan(game, letter) : "✕");
    return made;
  };
  $("palette").replaceChildren(...white.map(button), ...black.map(button), button(""));
}

// ---- Metrics and clock

function showMetrics(metric) {
  const known = METRICS.filter((name) => game.metrics.includes(name) || game.solves);
  const options = [element("option", { value: "" }, "what there is"), ...known.map((name) => element("option", { value: name }, name))];
  $("metric").replaceChildren(...options);
  $("metric").value = known.includes(metric) ? metric : "";
}

// ---- Tables

let sorting = { key: "order", isDown: false };

async function showTables() {
  document.title = `${game.name}: tables`;
  $("tables-title").textContent = `Tables of ${game.name}`;
  const found = await ask(`/games/${game.name}/tables`);
  if (!found) return;
  const rows = found.tables.map((table, order) => ({ ...table, order }));
  const columns = [
    ["table", "Table", (t) => t.table, true], ["metric", "Metric", (t) => t.metric, true], ["men", "Men", (t) => t.men],
    ["positions", "Positions", (t) => t.positions], ["wins", "White to move: wins", (t) => t.white_to_move?.wins],
    ["draws", "draws", (t) => t.white_to_move?.draws], ["losses", "losses", (t) => t.white_to_move?.losses],
    ["longest", "Longest win, plies", (t) => t.longest_win?.plies], ["zugzwangs", "Zugzwangs", (t) => t.zugzwangs],
    ["size", "Size", (t) => t.size_bytes], ["format", "Format", (t) => t.format, true],
  ];
  const draw = () => {
    const isWanted = search($("search").value, rows);
    const key = columns.find(([name]) => name === sorting.key)?.[2] ?? ((t) => t.order);
    const compare = (a, b) => {
      const [x, y] = [key(a) ?? -1, key(b) ?? -1];
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return (sorting.isDown ? -order : order) || a.order - b.order;
    };
    const shown = rows.filter(isWanted).sort(compare);
    $("tables-count").textContent = rows.length
      ? `${number(shown.length)} of ${number(rows.length)} tables`
      : `No tables in the folder${game.solves ? "; small ones are solved when a position asks for them" : ""}.`;
    const head = columns.map(([name, title, , isText]) => element("th", { class: isText ? "text" : null, "aria-sort": sorting.key === name ? (sorting.isDown ? "descending" : "ascending") : null },
      element("button", { type: "button", "data-sort": name, onclick: () => { sorting = { key: name, isDown: sorting.key === name ? !sorting.isDown : !isText }; draw(); $("tables").querySelector(`[data-sort=${name}]`).focus(); } }, title)));
    const cells = (table) => columns.map(([name, , value, isText]) => {
      if (name === "table") return element("td", {}, link(address({ table: table.table, metric: table.metric }), table.table));
      if (name === "longest") return element("td", {}, table.longest_win ? link(address({ fen: table.longest_win.fen, metric: table.metric }), number(table.longest_win.plies)) : "–");
      if (name === "size") return element("td", {}, bytes(table.size_bytes));
      return element("td", { class: isText ? "text" : null }, isText ? value(table) : number(value(table)));
    });
    $("tables").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...shown.map((table) => element("tr", {}, ...cells(table)))));
  };
  $("search").oninput = draw;
  draw();
}

// What a search finds: tables of so many men ("5 men"), of a name or a pattern as on the command line, in
// either colours and with or without the v ("krkn", "KNvKR", "KR*"), or with these letters somewhere.
function search(text, tables) {
  const men = [];
  const rest = text.toLowerCase().replace(/(\d+)\s*men\b/g, (_, n) => { men.push(Number(n)); return " "; });
  // Where there are kings the second one begins the other side.
  const marks = game.pieces.some(({ royal }) => royal) ? ["v", ""] : ["v"];
  const names = (table) => {
    const [white, black] = table.split("v").map((side) => side.toLowerCase());
    return marks.flatMap((mark) => [white + mark + black, black + mark + white]);
  };
  const tests = rest.split(/\s+/).filter(Boolean).map((word) => {
    const escaped = word.replace(/[^a-z0-9*?]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    const whole = new RegExp(`^${escaped}$`);
    const isNamed = ({ table }) => names(table).some((name) => whole.test(name));
    if (/[*?]/.test(word) || tables.some(isNamed)) return isNamed;
    return (t) => `${t.table} ${t.metric} ${t.men} men ${t.format}`.toLowerCase().includes(word);
  });
  return (table) => men.every((n) => table.men === n) && tests.every((test) => test(table));
}

async function showTable(name, metric) {
  document.title = `${game.name}: ${name}`;
  $("table-title").textContent = name;
  $("table-body").replaceChildren();
  const query = metric ? `?metric=${encodeURIComponent(metric)}` : "";
  const path = `/games/${game.name}/tables/${encodeURIComponent(name)}`;
  const found = await ask(path + query).catch((error) => {
    if (/ is not here/.test(error.message)) $("table-body").append(element("p", { class: "small" }, ...remedy(name, metric || game.metric)));
    throw error;
  });
  if (!found) return;
  $("table-title").textContent = `${found.table}, ${found.metric}`;
  const { statistics } = found;
  const sides = [["White to move", statistics.white_to_move], ["Black to move", statistics.black_to_move]];
  const row = (title, value) => element("tr", {}, element("th", { class: "text" }, title), ...sides.map(([, side]) => element("td", {}, number(value(side).orbits), " ", element("span", {}, `(${number(value(side).unreduced)})`))));
  const counts = element("table", { class: "counts" },
    element("thead", {}, element("tr", {}, element("th", { class: "text" }, "Positions modulo symmetry (and all)"), ...sides.map(([title]) => element("th", {}, title)))),
    element("tbody", {}, row("wins", (s) => s.wins), row("draws", (s) => s.draws), row("losses", (s) => s.losses),
      row("stalemates", (s) => s.stalemates), row("mates", (s) => s.mates),
      ...(sides.some(([, side]) => side.beyond_rule) ? [row("wins beyond the rule", (s) => s.beyond_rule.cursed_wins), row("losses beyond the rule", (s) => s.beyond_rule.blessed_losses)] : [])));
  // Bare kings, and values without distances, have nothing to draw.
  const hasPlies = sides.some(([, side]) => side.wins_by_ply.length || side.losses_by_ply.length);
  // As wide as there is room, so that its letters can be read on a phone.
  const width = Math.min(900, Math.max(320, $("table-body").clientWidth));
  const image = element("img", { class: "chart", alt: `Wins and losses of ${found.table} by plies` });
  const draw = (isLog) => { image.src = `${API}${path}/chart.svg?metric=${found.metric}${isLog ? "&scale=log" : ""}&width=${width}`; };
  const scale = element("button", { type: "button", "aria-pressed": "false", onclick: (event) => {
    const isLog = event.target.getAttribute("aria-pressed") !== "true";
    event.target.setAttribute("aria-pressed", String(isLog));
    draw(isLog);
  } }, "Logarithmic");
  const chart = hasPlies ? [element("div", { class: "tools" }, scale), image] : [element("p", { class: "small" }, "No chart: no distances are counted here.")];
  if (hasPlies) draw(false);
  const random = element("button", { type: "button", onclick: async () => {
    const drawn = await ask(`${path}/random?metric=${found.metric}`).catch(() => null);
    if (drawn) go({ fen: drawn.fen, metric: found.metric });
  } }, "A position at random");
  const men = [...new Set(found.table.replace("v", ""))];
  const inFiles = new Set(found.files.map((file) => file.metric));
  const isSmall = game.solves && found.table.length - 1 <= 4;
  const known = METRICS.filter((other) => other === found.metric || inFiles.has(other) || isSmall);
  const choice = element("select", { id: "table-metric", onchange: (event) => go({ table: found.table, metric: event.target.value }) },
    ...known.map((other) => element("option", { value: other, selected: other === found.metric }, other)));
  const examples = element("div", { id: "examples", "aria-live": "polite" }, element("p", { class: "small" }, "Longest wins and zugzwangs are on their way …"));
  $("table-body").append(
    found.solved ? element("p", { class: "small" }, "Counted just now, in memory.") : "",
    element("p", { class: "small" }, "How they move: ", ...men.flatMap((letter) => [link(address({ view: "pieces", piece: letter }), game.pieces.find((piece) => piece.letter === letter)?.name ?? letter), " "])),
    element("div", { class: "tools" }, element("label", {}, "Metric ", choice), random),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Counts" }, counts),
    element("h3", {}, "Wins and losses by plies"), ...chart, examples);
  showExamples(examples, path, found.metric).catch(() => examples.replaceChildren(element("p", {}, "The examples could not be read.")));
}

// The longest wins and losses of a table and its zugzwangs, as boards to click on.
async function showExamples(place, path, metric) {
  const own = game;
  const response = await fetch(`${API}${path}/examples?metric=${metric}`);
  const found = await response.json();
  if (own !== game || !place.isConnected) return;
  if (!response.ok) throw new Error(found.message);
  const sides = { w: "White to move", b: "Black to move" };
  const kinds = { white_wins_or_draw: "White to move draws, Black to move loses", black_wins_or_draw: "White to move loses, Black to move draws", full_point: "Whoever is to move loses" };
  const of = (shown, all) => (shown < all ? `${number(shown)} of ${number(all)}` : number(all));
  const longest = found.longest.flatMap(({ stm, wdl, plies, positions, fens }) => [
    element("h3", {}, `${sides[stm]}: longest ${wdl > 0 ? "wins" : "losses"}, ${pliesText(plies)} (${number(positions)} modulo symmetry)`),
    boards(fens.map((fen) => [pliesText(plies), fen]), metric),
  ]);
  place.replaceChildren(...longest, element("h3", {}, `Mutual zugzwangs (${of(found.zugzwangs.length, found.n_zugzwangs)})`),
    found.zugzwangs.length ? boards(found.zugzwangs.map(({ kind, fen }) => [kinds[kind], fen]), metric) : element("p", {}, "None."),
    found.searched ? "" : element("p", { class: "small" }, "This table is too large to be searched for more."));
}

// Small boards that lead to their positions.
function boards(list, metric) {
  return element("ul", { class: "boards" }, ...list.map(([title, fen]) => {
    const frame = element("div");
    new Board(frame).show(game, menOf(game, fen));
    return element("li", {}, element("a", { href: address({ fen, metric }), "data-nav": true }, frame, element("span", { class: "small" }, title)));
  }));
}

// ---- Pieces

async function showPieces() {
  document.title = `${game.name}: pieces`;
  $("pieces-title").textContent = `Pieces of ${game.name}`;
  const own = game;
  const all = await Promise.all(game.pieces.map(async ({ letter }) => (await fetch(`${API}/games/${own.name}/pieces/${letter}`)).json()));
  if (own !== game) return;
  const card = (piece) => {
    const rows = piece.diagram.map((row) => row.split(" ")).filter((row, _, [first]) => row.length === first.length && row.every((mark) => [...mark].length === 1));
    const grid = element("div", { class: "diagram", role: "img", "aria-label": piece.words.join("; ") }, ...rows.flat().map((mark) => element("span", { class: mark === "O" ? "self" : mark === "." ? null : "reach" }, mark === "." ? "" : mark)));
    grid.style.gridTemplateColumns = `repeat(${rows[0].length}, auto)`;
    const rest = piece.diagram.slice(rows.length).filter((text) => text.trim());
    const what = [piece.royal ? "royal" : null, piece.pawn ? `pawn; becomes ${piece.promotes_to.join(", ")}` : null, piece.betza ? `Betza ${piece.betza}` : null].filter(Boolean).join(" · ");
    return element("article", { id: `piece-${piece.letter}` }, element("div", { class: "head" }, element("span", {}, drawMan(own, piece.letter)), element("h3", {}, `${piece.letter} ${piece.name}`)),
      element("p", { class: "small" }, what), grid, ...rest.map((text) => element("p", { class: "small" }, text.trim())), element("ul", {}, ...piece.words.map((words) => element("li", {}, words))));
  };
  $("pieces").className = "pieces";
  $("pieces").replaceChildren(...all.map(card));
  const piece = new URLSearchParams(location.search).get("piece");
  if (piece) document.getElementById(`piece-${piece}`)?.scrollIntoView();
}

// ---- Controls

function toggleEdit() {
  edit = edit ? null : { man: null, hasChanged: false };
  pick(null);
  showEdit();
}

function wire() {
  $("game").onchange = () => {
    const view = new URLSearchParams(location.search).get("view");
    history.pushState(null, "", `/?game=${$("game").value}${view ? `&view=${view}` : ""}`);
    show();
  };
  $("flip").onclick = () => board.flip();
  $("edit").onclick = toggleEdit;
  $("clear").onclick = () => changed(new Map());
  $("stm").onclick = () => changed(board.men, $("fen").value.split(/\s+/)[1] === "b" ? "w" : "b");
  $("copy").onclick = async () => {
    try {
      await navigator.clipboard.writeText($("fen").value);
      say("The FEN is copied.");
    } catch {
      $("fen").select();
      say("The browser does not let pages copy; the FEN is selected.");
    }
  };
  $("fen-form").onsubmit = (event) => { event.preventDefault(); line = null; goTo($("fen").value.trim()); };
  $("metric").onchange = () => go({ fen: $("fen").value, metric: $("metric").value });
  $("clock").onchange = () => {
    const fields = $("fen").value.trim().split(/\s+/);
    const [men, stm = "w", castling = "-", passed = "-", , n = "1"] = fields;
    line = null;
    goTo(`${men} ${stm} ${castling} ${passed} ${Math.max(0, Math.trunc(Number($("clock").value) || 0))} ${n}`);
  };
  $("line-back").onclick = () => step(line.at - 1);
  $("line-on").onclick = () => step(line.at + 1);
  $("moves").onmouseleave = () => answer && pointBest();
  // A click outside, which is one on the dialog and nothing in it, leaves it as Esc does.
  $("choose").onclick = (event) => { if (event.target === $("choose")) $("choose").close(); };
  $("choose").onclose = () => { pick(null); board.focus(board.at); };
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.("a[data-nav]");
    if (!target || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", target.href);
    window.scrollTo(0, 0);
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea") || $("view-board").hidden || $("choose").open) return;
    const actions = { f: () => $("flip").click(), e: toggleEdit, n: () => line && step(line.at + 1), p: () => line && step(line.at - 1), Escape: () => pick(null) };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  window.addEventListener("popstate", () => show());
}

async function begin() {
  try {
    ({ games } = await ask("/games"));
  } catch {
    return;
  }
  $("game").replaceChildren(...games.map(({ name }) => element("option", { value: name }, name)));
  wire();
  await show();
}

begin();
