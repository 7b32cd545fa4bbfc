// Looks for what does not fit into the window, cannot be read or is too small to be hit. Returns sentences,
// none if all is well. `explorer.py` runs it in the page.

// What has little contrast on purpose, or may lie outside: the rules of WCAG leave out what cannot be used
// now.
const LEFT_OUT = ".skip, .copied, #status:empty, :disabled, [inert]";
const LEAST_CONTRAST = 4.5;
const LEAST_HEIGHT = 32;

const faults = [];
const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
  .getContext("2d", { willReadFrequently: true });

// Red, green, blue and opacity of a colour, however it is written.
function rgba(colour) {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

const over = ([r, g, b, a], below) => [r, g, b].map((c, i) => c * a + below[i] * (1 - a));

// The colour that lies behind the text of an element.
function ground(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
}

function luminance(colour) {
  const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(element, colour) {
  let [r, g, b, opacity] = rgba(colour);
  for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  const below = ground(element);
  const [dark, light] = [luminance(over([r, g, b, opacity], below)), luminance(below)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const isSeen = (element) => !element.closest(LEFT_OUT) && element.checkVisibility({ visibilityProperty: true });

const named = (element) => `${element.localName}${element.id ? `#${element.id}` : ""}.${[...element.classList].join(".")}`;

function checkContrast(element, colour, text) {
  const found = contrast(element, colour);
  if (found < LEAST_CONTRAST) faults.push(`"${text.trim().slice(0, 40)}" in ${named(element)} has a contrast of ${found.toFixed(2)}`);
}

let nTexts = 0;
for (const element of document.body.querySelectorAll("*")) {
  if (!isSeen(element)) continue;
  const { left, right, height, width } = element.getBoundingClientRect();
  const mayScroll = element.parentElement.closest(".scroll");
  if (width && !mayScroll && (left < -0.5 || right > document.documentElement.clientWidth + 0.5)) {
    faults.push(`${named(element)} lies from ${left} to ${right}, outside of the window`);
  }
  const isHit = element.matches("button, select, input, nav a") && !element.matches(".square");
  if (isHit && height < LEAST_HEIGHT) faults.push(`${named(element)} is ${height} high`);
  if (element.closest("svg")) continue;
  const style = getComputedStyle(element);
  const text = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data).join("");
  if (text.trim() || element.matches("input, select")) {
    nTexts += 1;
    checkContrast(element, style.color, text || element.value);
  }
  if (element.placeholder) checkContrast(element, getComputedStyle(element, "::placeholder").color, element.placeholder);
}
if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
if (nTexts < 5) faults.push(`only ${nTexts} texts were found`);
return faults;
