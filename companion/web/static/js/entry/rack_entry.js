// Rack entry: by the table camera, by a photo, or on the pad; each tile can be checked, added and removed.

import { asRefusal } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { choiceButton } from "../tiles.js";
import { sentence } from "../words.js";
import { textOf, tileLabelled } from "./notation.js";
import { tilePad } from "./pad.js";
import { rackPhoto, tileCrop } from "./rack_photo.js";
import { placeAt } from "./rack_places.js";
import { sizeFault } from "./rack_scan.js";
import { rowEditor } from "./rows.js";

/** @typedef {import("./rack_places.js").RackTile} RackTile */
/** @typedef {import("./rack_scan.js").Shot} Shot */
/** @typedef {import("./rows.js").Place} Place */

/**
 * @typedef {object} RackToEnter
 * @property {string} title of the dialog
 * @property {string} label of the button that sends the tiles
 * @property {string} name of the player
 * @property {Edition} edition
 * @property {Tile[] | null} known the tiles, if they were entered before
 * @property {number | null} expected the number of tiles by the ledger; null if it is not compared
 * @property {boolean} [asksIfEmpty] whether an empty rack is sent only after another tap
 * @property {import("./draft.js").Draft | null} draft where unfinished rows are stored; null to store none
 * @property {(() => Promise<Shot>) | null} scanTable reads the rack by the table camera; null without a camera
 * @property {(picture: File) => Promise<Shot>} scanPhoto reads the rack on a photo
 * @property {(tiles: string, sure: boolean, onRefusal: (refusal: Refusal) => boolean) => Promise<boolean>} send
 *   sends the tiles and shows refusals that `onRefusal` does not handle; resolves to whether it was done
 * @property {(seat: number) => string} nameOf the name of a player
 * @property {(error: Refusal) => void} [onStale] called if the game has moved on during a scan
 */

/** @typedef {import("../api.js").Refusal} Refusal */

/**
 * Opens the entry of a rack.
 * @param {RackToEnter} rack
 * @param {object} [options]
 * @param {"scan" | "picture" | null} [options.begin] the first step; a picture only directly after a tap
 * @param {() => void} [options.after] called after success, if the dialog was still open
 */
export function openRack(rack, { begin = null, after = () => {} } = {}) {
  const { title, label, name, edition, known, draft, scanTable, scanPhoto } = rack;
  // The number of tiles is compared with the ledger only for a whole rack that is not known yet, at the end of a round.
  const isCompared = rack.expected !== null;
  let { expected } = rack;
  /** @type {Shot[]} */
  const shots = [];
  /** @type {{ shot: number, at: Point } | null} the point in a photo at which a tile is to be added */
  let pointed = null;
  let isAdding = false; // whether each place for another tile is a button
  let asksToSave = false; // whether a person wants to save although the count differs
  let message = "";
  let isSending = false;

  const sum = make("p", { class: "rack-sum", "aria-live": "polite" });
  const note = make("div", { class: "scan-note", role: "status" });
  const addTile = button(gettext("Add a tile"), () => {
    showGaps(!isAdding);
    draw();
  });
  const editor = rowEditor(known ? [known] : (draft?.rows() ?? []), changed, {
    rack: true,
    empty: scanTable
      ? gettext("Scan the rack, take a picture of it, or tap its tiles.")
      : gettext("Take a picture of the rack, or tap its tiles."),
  });
  const rows = () => /** @type {RackTile[][]} */ (editor.rows());
  const photo = rackPhoto(
    (at) => editor.pick(at),
    (at) => {
      const shot = shotShown();
      if (shot === null) return;
      pointed = { shot, at };
      editor.moveTo(placeAt(rows(), shot, at));
    },
  );
  // The photo in which the entered tiles stand; after an undo it may be an earlier photo again.
  const shotShown = () => {
    const shot = rows()
      .flat()
      .find((tile) => tile.shot !== undefined)?.shot;
    return shot ?? (shots.length > 0 && rows().flat().length === 0 ? shots.length - 1 : null);
  };
  const pad = tilePad(edition, (tile) => {
    const hadFocus = pad.contains(document.activeElement);
    editor.add(editor.isPlaced() && pointed ? { ...tile, ...pointed } : tile);
    if (hadFocus && !pad.checkVisibility()) editor.focus();
  });

  function changed() {
    // Photos are not stored, so the draft leaves out the places of tiles in them.
    draft?.save(rows().map((row) => row.map((tile) => ({ ...tile, shot: undefined, quad: undefined, at: undefined }))));
    if (!editor.isPlaced()) pointed = null;
    message = "";
    asksToSave = false;
    if (isAdding && rows().flat().length === expected) showGaps(false);
    draw();
    // After choosing a place with the keyboard, a person goes on with the keys of the pad.
    const isChosen = editor.isPlaced() || editor.picked();
    if (isChosen && editor.element.querySelector(":focus-visible")) firstKey()?.focus();
  }
  const firstKey = () =>
    [...pad.querySelectorAll("button")].find((key) => key.matches(".key") && key.checkVisibility());

  function draw() {
    const body = note.parentElement;
    const number = shotShown();
    const isNaming = editor.isPlaced() || editor.picked() !== null;
    const doubt = isNaming ? null : firstDoubt(rows());
    body?.classList.toggle("checking", number !== null);
    body?.classList.toggle("naming", isNaming);
    addTile.hidden = number === null;
    photo.show(
      number === null
        ? null
        : {
            ...{ shot: shots[number], number, rows: rows(), isNaming },
            focus: editor.picked() ?? doubt,
            pointed: pointed?.shot === number ? pointed.at : null,
          },
    );
    drawSum(sum, rows(), expected, edition);
    fill(
      note,
      ...(message ? [make("p", {}, message)] : isNaming ? namingLines() : countLines(number, doubt)),
      saveAnyway(),
    );
  }

  /** The lines while a tile or a place is chosen: the next step. */
  function namingLines() {
    const at = editor.picked();
    if (!at) return [make("p", {}, gettext("Which tile stands here?"))];
    const tile = rows()[at.row][at.place];
    return [
      make("p", {}, gettext("This is {tile}. If it is wrong, tap the right tile, or “Remove”.", { tile: tile.name })),
    ];
  }

  /**
   * The first question: about a doubtful tile, or about the number of tiles.
   * @param {number | null} number of the photo
   * @param {Place | null} doubt
   */
  function countLines(number, doubt) {
    if (doubt) return doubtLines(doubt);
    const count = rows().flat().length;
    /** @type {Child[]} */
    const lines = [status(number)];
    if (expected === null || count === expected) {
      if (number !== null) lines.push(make("p", {}, ngettext("{count} tile read.", "{count} tiles read.", count)));
    } else if (number !== null || asksToSave) {
      lines.push(make("p", {}, countFault(count, expected, name, number !== null)));
    }
    if (isAdding) lines.splice(0, lines.length, make("p", {}, gettext("Tap a place between the tiles.")));
    return lines;
  }

  /** @param {boolean} shown */
  const showGaps = (shown) => {
    isAdding = shown;
    addTile.setAttribute("aria-pressed", String(shown));
    editor.showGaps(shown);
  };
  /** @param {number | null} number */
  const status = (number) =>
    number === null || shots[number].scan.status === "ok" ? null : make("p", {}, sentence(shots[number].scan.status));

  /** @param {Place} at */
  function doubtLines(at) {
    const tile = rows()[at.row][at.place];
    const shot = tile.shot === undefined ? undefined : shots[tile.shot];
    const likely = [tile.label, tile.runner_up_label]
      .map((label) => tileLabelled(edition, label ?? ""))
      .filter((one) => one !== null);
    const choices = likely.map((one) =>
      choiceButton(one, one.name, () => {
        editor.pick(at);
        editor.add(one);
      }),
    );
    const remaining = rows()
      .flat()
      .filter(({ doubtful }) => doubtful).length;
    const number = rows().slice(0, at.row).flat().length + at.place + 1;
    return [
      shot && tile.quad && tileCrop(shot, tile.quad),
      make(
        "p",
        {},
        gettext("Which tile is number {number}?", { number }),
        remaining > 1 ? ` ${gettext("({count} questions)", { count: remaining })}` : "",
      ),
      make(
        "div",
        { class: "choices" },
        ...choices,
        choiceButton(null, gettext("Another tile"), () => editor.pick(at)),
        choiceButton(null, gettext("It is not a tile"), () => {
          editor.pick(at);
          editor.remove();
        }),
      ),
    ];
  }

  function saveAnyway() {
    if (!asksToSave) return null;
    const count = rows().flat().length;
    return button(
      ngettext("Save anyway: {count} tile", "Save anyway: {count} tiles", count),
      () => sendRack(),
      "anyway",
    );
  }

  /** Saves the rack; if its count differs, or if it is empty, only after another tap. */
  const save = () => {
    const count = rows().flat().length;
    const isDoubtful = rack.asksIfEmpty && count === 0;
    if (!isDoubtful && (expected === null || count === expected)) return sendRack();
    asksToSave = true;
    message = "";
    draw();
    note.scrollIntoView({ block: "nearest" });
    return undefined;
  };
  const sendRack = async (sure = false) => {
    const tiles = textOf([rows().flat()]);
    isSending = true;
    const askAgain = (/** @type {Refusal} */ refusal) => askSure(refusal, note, rack, () => sendRack(true));
    const done = await rack.send(tiles, sure, askAgain);
    isSending = false;
    if (!done) return;
    draft?.remove();
    const wasOpen = dialog.isOpen(); // if a person has closed it meanwhile, no other dialog opens
    dialog.close();
    if (wasOpen) after();
  };

  /**
   * Scans a photo and shows its tiles; a photo without tiles changes nothing.
   * @param {() => Promise<Shot>} scan
   * @param {string} waiting the text to show meanwhile
   */
  async function read(scan, waiting) {
    message = waiting;
    draw();
    try {
      const shot = await scan();
      if (isCompared) expected = shot.scan.expected;
      if (shot.scan.count > 0) putShot(shot);
      else sayEmpty(shot);
    } catch (error) {
      const refusal = asRefusal(error);
      message = refusal.message;
      draw();
      if (refusal.code === "stale") rack.onStale?.(refusal);
    }
  }
  /** @param {Shot} shot */
  function putShot(shot) {
    shots.push(shot);
    const { tiles, rows: read } = shot.scan;
    const number = shots.length - 1;
    showGaps(false);
    editor.set(read.map((row) => row.map((index) => ({ ...tiles[index], shot: number }))));
  }
  /** @param {Shot} shot */
  function sayEmpty({ scan, url }) {
    if (url) URL.revokeObjectURL(url);
    const kept = rows().flat().length > 0;
    message = kept
      ? gettext("No tile was read in this picture. Your tiles are still here.")
      : gettext("No tile was read in this picture. Go closer, or tap the tiles.");
    draw();
    if (scan.status !== "ok") note.append(make("p", {}, sentence(scan.status)));
  }

  const scanNow = () => scanTable && read(scanTable, gettext("Looking at the table."));
  const field = pictureField(async (picture) => {
    message = sizeFault(picture);
    if (message) draw();
    else await read(() => scanPhoto(picture), gettext("Reading the picture."));
  });
  const ways = make(
    "div",
    { class: "scan-ways" },
    scanTable && button(gettext("Scan with the table camera"), scanNow),
    button(gettext("Take a picture"), () => field.click()),
    addTile,
    field,
  );
  const dialog = openDialog(title, [ways, photo.element, note, editor.element, sum, pad], {
    wide: true,
    onclose: () => {
      photo.show(null);
      for (const { url } of shots) if (url) URL.revokeObjectURL(url);
    },
    foot: [button(gettext("Remove"), editor.remove), button(gettext("Undo"), editor.undo), button(label, save, "main")],
  });
  draw();
  if (begin === "scan") scanNow();
  if (begin === "picture") field.click();
  return { ...dialog, isHeld: () => isSending };
}

/**
 * Returns the place of the first tile that is hard to read; null if there is none.
 * @param {RackTile[][]} rows
 * @returns {Place | null}
 */
function firstDoubt(rows) {
  const row = rows.findIndex((tiles) => tiles.some((tile) => tile.doubtful));
  return row < 0 ? null : { row, place: rows[row].findIndex((tile) => tile.doubtful) };
}

/**
 * Returns a sentence about the difference between the number of tiles and the number that the ledger expects.
 * @param {number} count
 * @param {number} expected
 * @param {string} name of the player
 * @param {boolean} isRead whether the tiles were read in a picture
 */
function countFault(count, expected, name, isRead) {
  const missing = expected - count;
  if (missing > 0) {
    const words = { read: count, expected };
    return isRead
      ? ngettext(
          "{read} of {expected} tiles read. {count} is missing: tap where it stands.",
          "{read} of {expected} tiles read. {count} are missing: tap where they stand.",
          missing,
          words,
        )
      : ngettext(
          "{read} of {expected} tiles. {count} is missing.",
          "{read} of {expected} tiles. {count} are missing.",
          missing,
          words,
        );
  }
  const which =
    missing === -1 ? gettext("Which one is too many?") : gettext("Which {count} are too many?", { count: -missing });
  const words = isRead
    ? ngettext(
        "{count} tile read, but {name} has {expected}.",
        "{count} tiles read, but {name} has {expected}.",
        count,
        { name, expected },
      )
    : ngettext(
        "You entered {count} tile, but {name} has {expected}.",
        "You entered {count} tiles, but {name} has {expected}.",
        count,
        {
          name,
          expected,
        },
      );
  return `${words} ${which}`;
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
 * Shows that there would be more copies of a tile than the box has, with the other places where it was read, since any
 * of these readings may be wrong.
 * @param {Refusal} refusal
 * @param {HTMLElement} note
 * @param {RackToEnter} rack
 * @param {() => void} sendSurely
 * @returns {boolean} whether the refusal was for this reason
 */
function askSure({ code, message, details }, note, { name, nameOf }, sendSurely) {
  if (code !== "impossible-tiles") return false;
  const all = /** @type {{ where: string, meld: number, player: number }[]} */ (details.places);
  const places = all
    .filter((place) => place.where === "table" || nameOf(place.player) !== name)
    .map((place) =>
      place.where === "table"
        ? gettext("on the table, set {number}", { number: place.meld + 1 })
        : gettext("on {name}'s rack", { name: nameOf(place.player) }),
    );
  // Without places the tile is on racks that nobody may see yet.
  const where =
    places.length > 0 ? gettext("The app also sees it {places}.", { places: [...new Set(places)].join("; ") }) : "";
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
 * @param {number | null} expected the number of tiles by the ledger
 * @param {Edition} edition
 */
function drawSum(sum, rows, expected, { stars, joker_left: jokerPoints }) {
  const tiles = rows.flat();
  const points = tiles.reduce((total, tile) => total + (tile.number ?? jokerPoints), 0);
  const count =
    expected === null
      ? ngettext("{count} tile", "{count} tiles", tiles.length)
      : ngettext("{found} of {count} tile", "{found} of {count} tiles", expected, { found: tiles.length });
  fill(sum, make("span", {}, count), stars ? null : make("b", {}, ngettext("{count} point", "{count} points", points)));
}
