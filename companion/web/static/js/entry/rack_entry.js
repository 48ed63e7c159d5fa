// Rack entry: by the table camera, by a photo, or on the pad; each tile can be edited.

import { asRefusal, post, upload } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { act, gameNight, hasCamera, nameOf, showRefusal } from "../game_night/store.js";
import { gettext, ngettext } from "../language.js";
import { rowsOf, textOf } from "./notation.js";
import { tilePad } from "./pad.js";
import { rowEditor } from "./rows.js";

/** @typedef {(scan: Scan, byTable?: boolean) => void} PutScan shows a scan; `byTable` if the table camera made it */

const MEGABYTE = 1024 * 1024;
const LARGEST_MB = 20;

/**
 * Opens the entry for a seat.
 * @param {number} seat
 * @param {object} [options]
 * @param {string} [options.title]
 * @param {string} [options.label] of the button that sends the tiles
 * @param {(tiles: string) => Promise<boolean>} [options.send] sends the tiles; by default for the end of a round
 * @param {"scan" | "picture" | null} [options.begin] the first step; a picture only directly after a tap
 * @param {() => void} [options.after] called after success, if the dialog was still open
 */
export function enterRack(
  seat,
  {
    title = gettext("{name}’s rack", { name: nameOf(seat) }),
    label = gettext("Save"),
    send,
    begin = null,
    after = () => {},
  } = {},
) {
  const { edition, players } = gameNight();
  const known = players[seat]?.shown ?? [];
  const sum = make("p", { class: "rack-sum", "aria-live": "polite" });
  const note = make("p", { class: "scan-note", role: "status" });
  const editor = rowEditor([known], (rows) => drawSum(sum, rows), {
    single: true,
    empty: gettext("Scan the rack, take a picture of it, or tap its tiles."),
  });
  /** @type {PutScan} */
  const putScan = (scan, byTable = false) => {
    const read = rowsOf(edition, scan.text);
    const tiles = (byTable ? withoutTable(read) : read).flat();
    editor.set([tiles]);
    const doubtful = scan.doubtful.length;
    note.textContent =
      scan.status === "ok"
        ? doubtful
          ? ngettext(
              "{count} tile read, {doubtful} of them hard to read: check each.",
              "{count} tiles read, {doubtful} of them hard to read: check each.",
              tiles.length,
              { doubtful },
            )
          : ngettext("{count} tile read.", "{count} tiles read.", tiles.length)
        : `${scan.status}.`;
  };
  const file = pictureField((picture) => scanPicture(picture, note, putScan));
  let isSending = false;
  const sendRack = async (sure = false) => {
    const tiles = textOf([editor.rows().flat()]);
    isSending = true;
    const done = send
      ? await send(tiles)
      : await act("rack", { player: seat, tiles, sure }, (refusal) => askSure(refusal, note, () => sendRack(true)));
    isSending = false;
    if (!done) return;
    const wasOpen = dialog.isOpen(); // a person who has closed it meanwhile wants no other dialog
    dialog.close();
    if (wasOpen) after();
  };
  const ways = make(
    "div",
    { class: "scan-ways" },
    hasCamera() && button(gettext("Scan with the table camera"), () => scanTable(note, putScan)),
    button(gettext("Take a picture"), () => file.click()),
    file,
  );
  const dialog = openDialog(title, [ways, note, editor.element, sum, tilePad(edition, editor.add)], {
    wide: true,
    foot: [
      button(gettext("Remove"), editor.remove),
      button(gettext("Undo"), editor.undo),
      button(label, () => sendRack(), "main"),
    ],
  });
  drawSum(sum, [known]);
  if (begin === "scan") scanTable(note, putScan);
  if (begin === "picture") file.click();
  return { ...dialog, isHeld: () => isSending };
}

/** @param {(picture: File) => Promise<void>} take */
function pictureField(take) {
  const field = make("input", {
    type: "file",
    accept: "image/*",
    capture: "environment",
    class: "visually-hidden",
    "aria-label": gettext("Picture of the rack"),
  });
  field.addEventListener("change", async () => {
    const picture = field.files?.[0];
    if (!picture) return;
    await take(picture);
    field.value = "";
  });
  return field;
}

/**
 * Shows that there would be more copies of a tile than the box has, with all places where it was read, since any of
 * these readings may be wrong.
 * @param {import("../api.js").Refusal} refusal
 * @param {HTMLElement} note
 * @param {() => void} sendSurely
 * @returns {boolean} whether it was refused for this
 */
function askSure({ code, message, details }, note, sendSurely) {
  if (code !== "impossible-tiles") return false;
  const places = /** @type {{ where: string, meld: number, player: number }[]} */ (details.places).map((place) =>
    place.where === "table"
      ? gettext("on the table, set {number}", { number: place.meld + 1 })
      : gettext("on {name}’s rack", { name: nameOf(place.player) }),
  );
  const where = gettext("The app also reads it {places}.", { places: [...new Set(places)].join("; ") });
  fill(
    note,
    make("b", {}, message),
    make("span", {}, ` ${where} `),
    button(gettext("They are right anyway"), sendSurely),
  );
  note.scrollIntoView({ block: "nearest" });
  return true;
}

/**
 * Shows the number of tiles and their points.
 * @param {HTMLElement} sum
 * @param {Tile[][]} rows
 */
function drawSum(sum, rows) {
  const tiles = rows.flat();
  const { stars, joker_left: jokerPoints } = gameNight().edition;
  const points = tiles.reduce((total, tile) => total + (tile.number ?? jokerPoints), 0);
  fill(
    sum,
    make("span", {}, ngettext("{count} tile", "{count} tiles", tiles.length)),
    stars ? null : make("b", {}, ngettext("{count} point", "{count} points", points)),
  );
}

/**
 * @param {HTMLElement} note
 * @param {PutScan} putScan
 */
async function scanTable(note, putScan) {
  note.textContent = gettext("Looking at the table.");
  try {
    putScan(await post("scan"), true);
  } catch (error) {
    showScanRefusal(error, note);
  }
}

/**
 * @param {File} picture
 * @param {HTMLElement} note
 * @param {PutScan} putScan
 */
async function scanPicture(picture, note, putScan) {
  if (picture.size > LARGEST_MB * MEGABYTE) {
    note.textContent = gettext("This picture is too large: {size} MB. At most {most} fit.", {
      size: Math.round(picture.size / MEGABYTE),
      most: LARGEST_MB,
    });
    return;
  }
  note.textContent = gettext("Reading the picture.");
  const form = new FormData();
  form.append("picture", picture);
  try {
    putScan(await upload("scan", form));
  } catch (error) {
    showScanRefusal(error, note);
  }
}

/**
 * @param {unknown} error
 * @param {HTMLElement} note
 */
function showScanRefusal(error, note) {
  const { code, message } = asRefusal(error);
  note.textContent = message;
  if (code === "stale") showRefusal(error);
}

/**
 * Removes the table's melds from a scan, since the camera sees them beside the tiles of the rack.
 * @template {Tile} One
 * @param {One[][]} rows
 */
function withoutTable(rows) {
  const remaining = rows.map((row) => [...row]);
  for (const meld of gameNight().table) {
    const texts = meld.map((tile) => tile.text);
    // Whole rows first, since the rack's rows may contain the same tiles.
    for (const whole of [true, false]) {
      if (remaining.some((row) => cut(row, texts, whole) || cut(row, texts.toReversed(), whole))) break;
    }
  }
  return remaining.filter((row) => row.length > 0);
}

/**
 * Removes consecutive tiles from a row.
 * @param {Tile[]} row
 * @param {string[]} texts
 * @param {boolean} whole whether they must be the whole row
 * @returns {boolean} whether the row had them
 */
function cut(row, texts, whole) {
  if (whole && row.length !== texts.length) return false;
  const from = row.findIndex((_, place) => texts.every((text, offset) => row[place + offset]?.text === text));
  if (from >= 0) row.splice(from, texts.length);
  return from >= 0;
}
