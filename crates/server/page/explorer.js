// Runs the explorer: the address says what is shown, the server what is known of it.
//
// Addresses: /?game=fide&fen=…&metric=… a position, &view=tables the tables, &table=KQvKR one of them,
// &view=pieces the pieces (&piece=Q leads to one). Spaces of a FEN are written as underscores.

import { Board, fenOf, menOf, place } from "./board.js";
import { joinFen, Line, splitFen } from "./line.js";
import { drawMan, manName } from "./men.js";

const $ = (id) => document.getElementById(id);
const API = "/api/v1";
// Answers that come sooner are not announced as being on their way.
const PATIENCE_MS = 150;
// How long it is said that something was copied.
const SHORT_WHILE_MS = 4000;
const METRICS = ["dtm", "dtm50", "dtz50", "dtz", "dtc", "wdl"];
// Helpmates, by the side that mates.
const HELP = { help: "help: White mates", "help-black": "help: Black mates" };
// No table has more.
const MOST_MEN = 8;
const MOST_ARROWS = 5;
const KINDS = { 1: "win", 0: "draw", "-1": "loss" };

let games = [];
let game = null;
let board = null;
let answer = null;
// The moves that are stepped through.
let line = null;
let chosen = null;
let edit = null;
let asking = null;
let sayNoMore = null;

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
  clearTimeout(sayNoMore);
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
      const fen = (query.get("fen") ?? game.fen ?? "").replaceAll("_", " ");
      // A `+` that was not escaped has become a blank: `2 3 0 1` is `2+3 0 1`.
      await showPosition(fen.replace(/ (\d+) (\d+ \d+ \d+)$/, " $1+$2"), query.get("metric"));
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
  board ??= new Board($("board"), { may, lift, drop, discard, click, holds: () => chosen !== null });
  chosen = null;
  if (!line?.goToBoard(fen)) line = null;
  board.show(game, menOf(game, fen), line?.last ? Object.values(squares(line.last.uci)) : []);
  board.mark(null, []);
  board.point([]);
  showTurn(fen);
  showLine();
  $("fen").value = fen;
  const { castling, halfmove } = splitFen(fen);
  $("clock-label").hidden = !game.rule_plies;
  $("clock").value = halfmove;
  showMetrics(metric);
  showEdit();
  answer = null;
  // What is known of the position before is not of this one.
  $("value").textContent = "…";
  $("value").className = "";
  $("source").replaceChildren();
  $("moves").setAttribute("aria-busy", "true");
  $("moves").inert = true;
  let found;
  try {
    const asked = metric in HELP ? "help" : metric;
    const query = new URLSearchParams({ fen, line: "true", ...(asked ? { metric: asked } : {}) });
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
  const { white, black, text } = found;
  answer = white ? { ...((metric === "help-black" && black) || white), text } : found;
  const value = answer.wdl_now ?? answer.wdl;
  $("value").textContent = sentence(answer.text);
  $("value").className = value === null ? "" : KINDS[value];
  $("source").replaceChildren(...sources(), ...remedies(/[a-z]/i.test(castling)));
  showMoves();
  continueLine(metric);
  pointBest();
}

// Whose turn it is, what was played last, and the checks if the FEN has them.
function showTurn(fen) {
  const { stm, checks } = splitFen(fen);
  const side = stm === "b" ? "Black" : "White";
  $("turn").className = `turn ${side.toLowerCase()}`;
  $("turn-side").textContent = `${side} to move`;
  $("turn-last").textContent = line?.last ? `after ${line.number(line.n - 1, true)} ${line.last.san}` : "";
  const [white, black] = checks.match(/\d+/g) ?? [];
  $("checks").hidden = !checks;
  const said = checks.startsWith("+") ? "given" : "left";
  $("checks").textContent = checks && `Checks ${said}: White ${white}, Black ${black}`;
}

const isKnown = () => answer.wdl !== null || isBounded(answer);

// What the value is from.
function sources() {
  const paragraph = (...parts) => element("p", { class: "small" }, ...parts);
  if (!isKnown()) return [];
  const material = materialOf(answer.fen);
  const href = address({ table: material, metric: answer.metric });
  if (answer.solved) return [paragraph("Solved just now, in memory", ...(material ? [": ", link(href, material)] : []))];
  if (answer.files) return answer.files.map((file) => paragraph("From ", element("span", { class: "path" }, file)));
  // Only a table has a page of its own.
  const hasPage = material && !/\.ts[swr]$/.test(answer.file);
  if (answer.file) return [paragraph("From ", hasPage ? link(href, answer.file) : answer.file)];
  return [paragraph(answer.by === "moves" ? "From the tables of its moves" : "By the rules")];
}

// What is missing, and the command that makes it.
function remedies(hasRights) {
  if (!answer.missing) return [];
  const why = isKnown() ? `The table ${answer.missing} is missing, so not all is known. ` : "";
  const way = answer.solve_position
    ? solveAlone(answer.fen)
    : remedy(answer.missing, answer.metric, hasRights ? " --rights" : "");
  if (!why && !way.length) return [];
  return [element("div", { class: "remedy" }, why, ...way)];
}

// Arrows for the moves that keep the best result, the shortest ways strongest; none where an unknown move may
// be better than a loss.
function pointBest() {
  const results = answer.moves.map(atLeast).filter((result) => result !== null);
  const best = Math.max(...results);
  const isSure = results.length === answer.moves.length || best >= 0;
  const kept = isSure ? answer.moves.filter((move) => atLeast(move) === best) : [];
  const isShortest = (move) => distance(move) === distance(kept[0]);
  const kind = (move) => `${now(move) === null ? "open" : KINDS[best]}${isShortest(move) ? " best" : ""}`;
  board.point(kept.slice(0, MOST_ARROWS).map((move) => ({ ...squares(move.uci), kind: kind(move) })));
}

// What a move is known to be worth at least: 1, 0 or −1, or null.
const atLeast = (move) => now(move) ?? (move.at_least ? now(move.at_least) : null);

// The squares of a move in coordinates; a rank may have two digits.
function squares(uci) {
  const [, from, to] = uci.match(/^([a-z]\d+)([a-z]\d+)/);
  return { from, to };
}

const distance = (move) => move.dtm ?? move.dtm50 ?? move.dtz50 ?? move.dtz ?? move.dtc ?? move.help ?? null;

// The name of the table of a FEN's men and checks, as tables are named, colours as they stand.
function materialOf(fen) {
  const men = [...menOf(game, fen).values()];
  const side = (isOwn) => game.pieces.map(({ letter }) => letter.repeat(men.filter((man) => isOwn(man) && man.toUpperCase() === letter).length)).join("");
  const [white, black] = [side((man) => man === man.toUpperCase()), side((man) => man !== man.toUpperCase())];
  const { checks } = splitFen(fen);
  return white && black ? `${white}v${black}${checks && `+${checks}`}` : null;
}

// The letters of a table's men.
const lettersOf = (table) => table.split("+")[0].replace("v", "");

// The command that makes a table, where the server names one and a table can have so many men.
function remedy(table, metric, more = "") {
  const isPossible = game.solve && lettersOf(table).length <= MOST_MEN;
  return isPossible ? ["This makes it:", command(`${game.solve} --table ${table} --metric ${metric}${more}`)] : [];
}

// The command that solves a position alone, where the server names one.
function solveAlone(fen) {
  if (!game.solve) return [];
  return ["This solves it alone, and may take long (plan says how long):", command(`${game.solve} --position "${fen}"`)];
}

function command(text) {
  const button = element("button", { type: "button", onclick: () => copy(text, "command") }, "Copy");
  return element("div", { class: "command" }, element("code", {}, text), button);
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
  if (metric === "help") return move.wdl ? `in ${moves(plies)}, ${pliesText(plies)}` : "never";
  if (move.wdl === 0) return "draws";
  if (plies === null || metric === "wdl") return verb;
  const count = `in ${moves(plies)}, ${pliesText(plies)}`;
  return move.wdl_now === 0 ? `draws, ${verb} too late: ${count}` : `${verb} ${count}`;
}

// The moves in groups of one result, in the order in which they come: best first.
function showMoves() {
  const groups = new Map();
  for (const move of answer.moves) {
    const [kind, title] = groupOf(move);
    if (!groups.has(title)) groups.set(title, { kind, title, moves: [] });
    groups.get(title).moves.push(move);
  }
  const note = answer.outcome ? `The game is over: ${answer.outcome}.` : "There is no legal move.";
  const shown = [...groups.values()].map(group);
  $("moves").replaceChildren(...(shown.length ? shown : [element("p", {}, note)]));
}

function groupOf(move) {
  const titles = answer.metric === "help" ? { 1: "Can end in mate", 0: "Never end in mate" } : { 1: "Wins", 0: "Draws", "-1": "Losses" };
  if (now(move) !== null) return [KINDS[now(move)], titles[now(move)]];
  if (!isBounded(move)) return ["unknown", "Not known"];
  const words = { 1: "a win", 0: "a draw", "-1": "a loss" };
  const bounds = [["at least", move.at_least], ["at most", move.at_most]].filter(([, bound]) => bound);
  return ["open", sentence(bounds.map(([word, bound]) => `${word} ${words[now(bound)]}`).join(", "))];
}

function group({ kind, title, moves }) {
  const items = moves.map((move) => {
    const point = () => board.point([{ ...squares(move.uci), kind: `${kind} best` }]);
    const button = element("button", {
      type: "button", class: "move", "data-uci": move.uci, onclick: () => play(move),
      onmouseenter: point, onfocus: point, onblur: () => answer && pointBest(),
    }, element("b", {}, move.san), element("span", {}, valueText(move)));
    return element("li", {}, button);
  });
  const heading = element("h3", {}, `${title} `, element("span", {}, `(${moves.length})`));
  return element("section", { class: `group ${kind}` }, heading, element("ul", {}, ...items));
}

// Whether it is known what a move is worth at least or at most.
const isBounded = (move) => Boolean(move.at_least || move.at_most);

const now = (move) => (move.wdl === null ? null : (move.wdl_now ?? move.wdl));

// ---- The line

// Goes on with what the tables expect. Under another metric they may expect something else.
function continueLine(metric) {
  line ??= new Line(answer.fen, metric);
  if (line.metric !== metric) line.cut();
  line.metric = metric;
  line.extend(answer.main_line ?? []);
  showLine();
}

function showLine() {
  $("line-box").hidden = !line?.main.moves.length;
  if ($("line-box").hidden) return;
  const { main, side } = line;
  // The side line stands behind the move that it takes the place of.
  const sideLine = () => {
    const own = side.moves.map((move, i) => lineItem(move, side.from + i, true, i === 0));
    return element("li", { class: "side" }, element("ol", { "aria-label": "Side line" }, ...own));
  };
  const items = main.moves.flatMap((move, n) => {
    const own = lineItem(move, n, false, n === 0 || side?.from === n - 1);
    return side?.from === n ? [own, sideLine()] : [own];
  });
  $("line").replaceChildren(...items);
  for (const id of ["line-start", "line-back"]) $(id).disabled = line.n === 0;
  for (const id of ["line-on", "line-end"]) $(id).disabled = line.n === line.length;
  $("line-side").hidden = !line.isOnSide;
  showCurrent($("line"), $("line").querySelector("[aria-current]"));
}

// Scrolls a list to one of its elements, and nothing else with it.
function showCurrent(list, current) {
  if (!current) { list.scrollTop = 0; return; }
  const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

// The move that comes after `n` others. What has not been looked at yet is what the tables expect.
function lineItem(move, n, isOnSide, isFirst) {
  const isHere = line.n === n + 1 && line.isOnSide === isOnSide;
  const isAhead = n >= (isOnSide ? line.side : line.main).n_seen;
  const button = element("button", {
    type: "button", "data-at": n + 1, class: isAhead ? "ahead" : null, "aria-current": isHere ? "step" : null,
    onclick: () => step(n + 1, isOnSide),
  }, move.san + (move.only ? "!" : "") + (move.stop ? "*" : ""));
  const number = line.number(n, isFirst);
  return element("li", { class: number ? "numbered" : null }, number, button);
}

function step(n, isOnSide = line?.isOnSide) {
  if (!line || n < 0 || n > line.moves(isOnSide).length) return;
  line.goTo(n, isOnSide);
  goTo(line.fenAt(n));
}

function exchangeLines() {
  line.exchange();
  showLine();
}

// "king-of-the-hill" as programs write it: "King of the Hill". Chess has no such tag.
function variantTag() {
  if (game.alias === "standard") return null;
  const words = game.name.split("-");
  return words.map((word) => (/^(of|the)$/.test(word) ? word : sentence(word))).join(" ");
}

function goTo(fen, options) {
  return go({ fen, metric: new URLSearchParams(location.search).get("metric") }, options);
}

function play(move) {
  chosen = null;
  line?.play(move);
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
  return letter && (letter === letter.toUpperCase()) === (splitFen($("fen").value).stm !== "b");
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
// Castling rights stay with a king and a rook that stay, and the checks stay.
async function changed(men, wanted = null) {
  const fields = splitFen($("fen").value);
  const rights = [...fields.castling];
  const kept = rights.filter((right) => right === "-" || sameCastlers(right, board.men, men));
  const gone = rights.filter((right) => !kept.includes(right));
  const [stm, castling] = [wanted ?? fields.stm, kept.join("") || "-"];
  const own = { men: fenOf(game, men), stm, castling, passed: "-" };
  const replace = edit.hasChanged;
  edit.hasChanged = true;
  await goTo(joinFen({ ...fields, ...own, halfmove: $("clock").value || 0, fullmove: 1 }), { replace });
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
  $("palette").replaceChildren(
    element("div", {}, ...white.map(button)),
    element("div", {}, ...black.map(button), button("")),
  );
}

// ---- Metrics and clock

function showMetrics(metric) {
  const isThere = (name) => game.metrics.includes(name) || game.solves;
  const known = [...METRICS.filter(isThere), ...(isThere("help") ? Object.keys(HELP) : [])];
  const named = known.map((name) => element("option", { value: name }, HELP[name] ?? name));
  const options = [element("option", { value: "" }, "what there is"), ...named];
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
  const endings = found.structures.flatMap(({ file, metric, exact, positions }) => {
    const names = positions.length ? positions.map((fen) => link(address({ fen, metric }), fen)) : [file];
    return names.map((name) => element("li", {}, name, ` (${metric}${exact ? "" : ", bounds"})`));
  });
  $("endings").replaceChildren(...(endings.length ? [element("h3", {}, "Endings with many men"), element("ul", {}, ...endings)] : []));
  // The last of a column is its class; narrow windows leave some out.
  const columns = [
    ["table", "Table", (t) => t.table, "text"], ["metric", "Metric", (t) => t.metric, "text"],
    ["men", "Men", (t) => t.men, "last-of-all"], ["positions", "Positions", (t) => t.positions],
    ["wins", "White to move: wins", (t) => t.white_to_move?.wins, "of-less-weight"],
    ["draws", "draws", (t) => t.white_to_move?.draws, "of-less-weight"],
    ["losses", "losses", (t) => t.white_to_move?.losses, "of-less-weight"],
    ["longest", "Longest win, plies", (t) => t.longest_win?.plies],
    ["zugzwangs", "Zugzwangs", (t) => t.zugzwangs, "last-of-all"], ["size", "Size", (t) => t.size_bytes, "of-less-weight"],
    ["format", "Format", (t) => t.format, "text last-of-all"],
    ...(rows.some((t) => t.folder) ? [["folder", "Folder", (t) => t.folder ?? "", "text folder"]] : []),
  ];
  const isText = (kind) => kind?.startsWith("text");
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
    const sortBy = (name, kind) => {
      sorting = { key: name, isDown: sorting.key === name ? !sorting.isDown : !isText(kind) };
      draw();
      $("tables").querySelector(`[data-sort=${name}]`).focus();
    };
    const head = columns.map(([name, title, , kind]) => {
      const order = sorting.key === name ? (sorting.isDown ? "descending" : "ascending") : null;
      const button = element("button", { type: "button", "data-sort": name, onclick: () => sortBy(name, kind) }, title);
      return element("th", { class: kind, "aria-sort": order }, button);
    });
    const cells = (table) => columns.map(([name, , value, kind]) => element("td", { class: kind }, cell(table, name, value(table), kind)));
    const body = shown.map((table) => element("tr", {}, ...cells(table)));
    $("tables").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  };
  const cell = (table, name, value, kind) => {
    const { metric, longest_win: longest } = table;
    if (name === "table") return link(address({ table: value, metric }), value);
    if (name === "longest" && longest) return link(address({ fen: longest.fen, metric }), number(value));
    if (name === "size") return bytes(value);
    return isText(kind) ? value : number(value);
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
    const [white, black] = table.split("+")[0].split("v").map((side) => side.toLowerCase());
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
  const men = [...new Set(lettersOf(found.table))];
  const inFiles = new Set(found.files.map((file) => file.metric));
  const isSmall = game.solves && lettersOf(found.table).length <= 4;
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
    const what = [piece.royal ? "royal" : null, piece.pawn ? `pawn; becomes ${piece.promotes_to.join(", ") || "nothing"}` : null, piece.betza ? `Betza ${piece.betza}` : null].filter(Boolean).join(" · ");
    return element("article", { id: `piece-${piece.letter}` }, element("div", { class: "head" }, element("span", {}, drawMan(own, piece.letter)), element("h3", {}, `${piece.letter} ${piece.name}`)),
      element("p", { class: "small" }, what), grid, ...rest.map((text) => element("p", { class: "small" }, text.trim())), element("ul", {}, ...piece.words.map((words) => element("li", {}, words))));
  };
  $("pieces").className = "pieces";
  $("pieces").replaceChildren(...all.map(card));
  const piece = new URLSearchParams(location.search).get("piece");
  if (piece) document.getElementById(`piece-${piece}`)?.scrollIntoView();
}

// ---- Controls

// Puts a text where others paste it from; a page that is not on this machine may be refused the newer way.
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element("textarea", { class: "copied", "aria-hidden": "true" }, text);
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    if (!isCopied) { say("The browser does not let pages copy.", true); return; }
  }
  say(`The ${what} is copied.`);
  sayNoMore = setTimeout(() => say(""), SHORT_WHILE_MS);
}

// Light or dark: as the system has it, until the other is chosen.
const systemTheme = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

// A browser that keeps nothing for this page keeps no colours either.
function kept(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}

const chosenTheme = () => kept((store) => store.getItem("theme")) ?? systemTheme();

function showTheme(theme = chosenTheme()) {
  document.documentElement.dataset.theme = theme;
  $("theme").textContent = theme === "dark" ? "Light" : "Dark";
  $("theme").setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
}

function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  kept((store) => (next === systemTheme() ? store.removeItem("theme") : store.setItem("theme", next)));
  showTheme(next);
}

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
  $("stm").onclick = () => changed(board.men, splitFen($("fen").value).stm === "b" ? "w" : "b");
  $("copy").onclick = () => copy($("fen").value, "FEN");
  $("fen-form").onsubmit = (event) => { event.preventDefault(); line = null; goTo($("fen").value.trim()); };
  $("metric").onchange = () => go({ fen: $("fen").value, metric: $("metric").value });
  $("clock").onchange = () => {
    line = null;
    const halfmove = Math.max(0, Math.trunc(Number($("clock").value) || 0));
    goTo(joinFen({ ...splitFen($("fen").value), halfmove }));
  };
  $("line-start").onclick = () => step(0);
  $("line-back").onclick = () => step(line.n - 1);
  $("line-on").onclick = () => step(line.n + 1);
  $("line-end").onclick = () => step(line.length);
  $("line-main").onclick = () => step(line.side.from, false);
  $("line-exchange").onclick = exchangeLines;
  $("line-pgn").onclick = () => copy(line.pgn(variantTag()), "line as PGN");
  $("theme").onclick = toggleTheme;
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
    const isTyping = event.target.matches?.("input, select, textarea");
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    if ($("view-board").hidden || $("choose").open) return;
    const [back, on] = [() => step(line?.n - 1), () => step(line?.n + 1)];
    const actions = {
      f: () => $("flip").click(), e: toggleEdit, Escape: () => pick(null), p: back, ArrowLeft: back, n: on, ArrowRight: on,
      Home: () => step(0), End: () => step(line?.length),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  window.addEventListener("popstate", () => show());
}

async function begin() {
  showTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTheme());
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
