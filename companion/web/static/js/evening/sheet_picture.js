// Draws the score sheet as a picture to share: in the light theme, as wide as a phone, as tall as its rounds need.

import { dayWords, winnersLine } from "../evenings/words.js";
import { listed } from "../words.js";

/** @typedef {import("../evenings/words.js").PastEvening} PastEvening */
/** @typedef {GameNight["sheet"]} Sheet */
/** @typedef {CanvasRenderingContext2D} Pen */
/** @typedef {{ name: string, seat: number, place: number, total: string, leads: boolean }} Ranked */

const WIDTH = 1080;
const MARGIN = 60;
const INNER = WIDTH - 2 * MARGIN;
const HEAD = 340;
const RANK = 96;
const GAP = 44;
const TABLE_HEAD = 64;
const FOOT = 90;
const FEW_ROUNDS = 12;
const [LINE, LOW_LINE] = [60, 44];
const FIRST_COLUMN = 90;

const CLOTH = ["#2b6b58", "#174236"];
const [PAPER, INK, SOFT, RULE] = ["#fcf9f1", "#1c2420", "#56625b", "#e3dccb"];
const [LEGAL, AMBER, BAND] = ["#14724a", "#ffb627", "#f4edda"];
const SEATS = ["#c2410c", "#1256c4", "#14724a", "#7b2a8c", "#8a6a00", "#0b6f85", "#b3261e", "#4b5563"];
// The group of tiles in the corner.
const TILES = [
  ["7", "#c81e2c"],
  ["7", "#1256c4"],
  ["7", "#1d2023"],
];

/**
 * @param {PastEvening} evening
 * @param {Sheet} sheet with at least one round
 * @returns {Promise<{ blob: Blob, width: number, height: number }>} a PNG
 */
export async function drawSheet(evening, sheet) {
  await Promise.all([500, 700, 800].map((weight) => document.fonts.load(`${weight} 40px Manrope`)));
  const ranked = rank(evening, sheet);
  const line = sheet.rounds.length > FEW_ROUNDS ? LOW_LINE : LINE;
  const tableTop = HEAD + GAP + ranked.length * RANK + GAP;
  const height = tableTop + TABLE_HEAD + sheet.rounds.length * line + FOOT;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, height];
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("no canvas to draw on");
  pen.textBaseline = "middle";
  block(pen, 0, 0, WIDTH, height, PAPER);
  drawHead(pen, evening);
  for (const [at, player] of ranked.entries()) drawRank(pen, player, HEAD + GAP + at * RANK);
  drawTable(pen, evening, sheet, tableTop, line);
  write(pen, "Tilekeeper", WIDTH / 2, height - FOOT / 2 + 8, 28, 700, SOFT, INNER, "center");
  return { blob: await asPng(canvas), width: WIDTH, height };
}

/**
 * Returns the players by rank; equal totals share a place.
 * @param {PastEvening} evening
 * @param {Sheet} sheet
 * @returns {Ranked[]}
 */
const rank = ({ players }, { totals, leaders }) =>
  players
    .map((name, seat) => ({
      name,
      seat,
      place: 1 + totals.filter((other) => other.value > totals[seat].value).length,
      total: totals[seat].text,
      leads: leaders.includes(seat),
    }))
    .sort((one, other) => one.place - other.place);

/**
 * @param {Pen} pen
 * @param {PastEvening} evening
 */
function drawHead(pen, evening) {
  const cloth = pen.createLinearGradient(0, 0, WIDTH, HEAD);
  cloth.addColorStop(0, CLOTH[0]);
  cloth.addColorStop(1, CLOTH[1]);
  block(pen, 0, 0, WIDTH, HEAD, cloth);
  for (const [at, [digit, ink]] of TILES.entries()) drawTile(pen, WIDTH - MARGIN - 216 + at * 74, 44, digit, ink);
  const room = INNER - 240; // beside the tiles
  const lines = wrapped(pen, winnersLine(evening, listed), 66, 800, room, 2);
  const top = HEAD - 96 - lines.length * 74;
  for (const [at, text] of lines.entries()) write(pen, text, MARGIN, top + 37 + at * 74, 66, 800, "#fff", room);
  const below = [dayWords(evening.begun_at), evening.edition_name].filter(Boolean).join(" · ");
  write(pen, below, MARGIN, HEAD - 58, 32, 500, "#d9ece3", INNER);
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {string} digit
 * @param {string} ink
 */
function drawTile(pen, x, y, digit, ink) {
  rounded(pen, x, y + 5, 68, 92, 12, "#c9bc97");
  rounded(pen, x, y, 68, 92, 12, "#fdf8e9");
  write(pen, digit, x + 34, y + 42, 52, 800, ink, 68, "center");
}

/**
 * @param {Pen} pen
 * @param {Ranked} player
 * @param {number} y
 */
function drawRank(pen, { name, seat, place, total, leads }, y) {
  rounded(pen, MARGIN, y, INNER, RANK - 12, 20, leads ? "#ffe3a6" : BAND);
  const middle = y + (RANK - 12) / 2;
  disc(pen, MARGIN + 48, middle, 28, leads ? AMBER : "#fff");
  write(pen, String(place), MARGIN + 48, middle + 2, 34, 800, INK, 50, "center");
  rounded(pen, MARGIN + 96, middle - 15, 30, 30, 8, SEATS[seat % SEATS.length]);
  const width = measure(pen, total, 50, 800);
  write(pen, name, MARGIN + 144, middle + 2, 42, 700, INK, INNER - 144 - width - 60);
  write(pen, total, WIDTH - MARGIN - 30, middle + 2, 50, 800, leads ? LEGAL : INK, 300, "right");
}

/**
 * @param {Pen} pen
 * @param {PastEvening} evening
 * @param {Sheet} sheet
 * @param {number} top
 * @param {number} line the height of a round's line
 */
function drawTable(pen, { players }, sheet, top, line) {
  const column = (INNER - FIRST_COLUMN) / players.length;
  /** @param {number} seat */
  const right = (seat) => MARGIN + FIRST_COLUMN + column * (seat + 1) - 18;
  for (const [seat, name] of players.entries()) {
    const width = Math.min(measure(pen, name, 28, 700), column - 56);
    rounded(pen, right(seat) - width - 30, top + TABLE_HEAD / 2 - 10, 20, 20, 6, SEATS[seat % SEATS.length]);
    write(pen, name, right(seat), top + TABLE_HEAD / 2, 28, 700, INK, column - 56, "right", 22);
  }
  block(pen, MARGIN, top + TABLE_HEAD - 3, INNER, 3, SOFT);
  for (const [at, { points, winners }] of sheet.rounds.entries()) {
    const y = top + TABLE_HEAD + at * line;
    if (at % 2) block(pen, MARGIN, y, INNER, line, BAND);
    write(pen, String(at + 1), MARGIN + 18, y + line / 2 + 2, 26, 700, SOFT, FIRST_COLUMN - 20);
    for (const [seat, { text }] of points.entries()) {
      const won = winners.includes(seat);
      const words = won ? `★ ${text}` : text;
      write(pen, words, right(seat), y + line / 2 + 2, 32, won ? 800 : 500, won ? LEGAL : INK, column - 24, "right");
    }
  }
  block(pen, MARGIN, top + TABLE_HEAD + sheet.rounds.length * line, INNER, 2, RULE);
}

/**
 * Writes a line; if it is wider than `room`, in a smaller font, and then with an ellipsis.
 * @param {Pen} pen
 * @param {string} text
 * @param {number} x
 * @param {number} y the middle of the line
 * @param {number} size
 * @param {number} weight
 * @param {string} colour
 * @param {number} room the largest width
 * @param {CanvasTextAlign} [align]
 * @param {number} [least] the smallest size
 */
function write(pen, text, x, y, size, weight, colour, room, align = "left", least = size * 0.66) {
  let fitting = size;
  while (fitting > least && measure(pen, text, fitting, weight) > room) fitting -= 1;
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.fillText(cut(pen, text, fitting, weight, room), x, y);
}

/**
 * @param {Pen} pen
 * @param {string} text
 * @param {number} size
 * @param {number} weight
 */
function measure(pen, text, size, weight) {
  pen.font = `${weight} ${size}px Manrope, system-ui, sans-serif`;
  return pen.measureText(text).width;
}

/**
 * @param {Pen} pen
 * @param {string} text
 * @param {number} size
 * @param {number} weight
 * @param {number} room
 */
function cut(pen, text, size, weight, room) {
  if (measure(pen, text, size, weight) <= room) return text;
  const characters = [...text];
  while (characters.length > 1 && measure(pen, `${characters.join("").trimEnd()}…`, size, weight) > room) {
    characters.pop();
  }
  return `${characters.join("").trimEnd()}…`;
}

/**
 * Wraps a text into lines; the last one may be too long and is cut when it is written.
 * @param {Pen} pen
 * @param {string} text
 * @param {number} size
 * @param {number} weight
 * @param {number} room
 * @param {number} most the most lines
 */
function wrapped(pen, text, size, weight, room, most) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    const fits = lines.length > 0 && (lines.length === most || measure(pen, longer, size, weight) <= room);
    if (fits) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string | CanvasGradient} colour
 */
function block(pen, x, y, width, height, colour) {
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, height);
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} radius
 * @param {string} colour
 */
function rounded(pen, x, y, width, height, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
  pen.fill();
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {string} colour
 */
function disc(pen, x, y, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
const asPng = (canvas) =>
  new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture came of the canvas"))), "image/png");
  });
