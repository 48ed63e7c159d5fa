// Enters a rack: from the table camera, from a picture taken with a phone, or on the pad; each tile can be edited.
import { make } from "../dom.js";
import { button, openDialog } from "../game_night/dialog.js";
import { act, evening, hasCamera, nameOf, refuse } from "../game_night/store.js";
import { press, Refused, send } from "../link.js";
import { count } from "../words.js";
import { tileFrom, tilePad } from "./pad.js";
import { rowEditor, rowsFrom } from "./rows.js";

const LARGEST_BYTES = 20 * 1024 * 1024;

// Opens the entry for a seat; with another purpose than the end of a round, sendIt(text, sure) takes the tiles.
export function enterRack(
  seat,
  { title = `${nameOf(seat)}’s rack`, says = "These are the tiles", sendIt = null } = {},
) {
  const { edition, players } = evening();
  const known = players[seat]?.shown ?? [];
  const sum = make("p", { class: "rack-sum", "aria-live": "polite" });
  const editor = rowEditor([known], (rows) => tellSum(sum, rows), {
    single: true,
    empty: "Scan the rack, take a picture of it, or tap its tiles.",
  });
  const put = (scan, byTable = false) => {
    const read = rowsFrom(edition, scan.text, tileFrom);
    const rows = byTable ? withoutTable(read) : read;
    editor.set([rows.flat()]);
    const doubtful = scan.doubtful.length;
    note.textContent =
      scan.status !== "ok"
        ? `${scan.status}.`
        : `${count(rows.flat().length, "tile")} read${doubtful ? `, ${doubtful} of them doubtful: look at each` : ""}.`;
  };
  const note = make("p", { class: "scan-note", role: "status" });
  const file = make("input", {
    type: "file",
    accept: "image/*",
    capture: "environment",
    class: "unseen",
    "aria-label": "Picture of the rack",
  });
  file.addEventListener(
    "change",
    () => file.files[0] && sendPicture(file.files[0], note, put).finally(() => (file.value = "")),
  );
  const ways = [
    hasCamera() && button("Scan with the table camera", () => scanTable(note, put)),
    button("Take a picture", () => file.click()),
  ];
  const give = async (sure = false) => {
    const text = editor
      .rows()
      .flat()
      .map((tile) => tile.text)
      .join(" ");
    const done = sendIt
      ? await sendIt(text, sure)
      : await act("rack", { player: seat, tiles: text, sure }, (error) => question(error, note, () => give(true)));
    if (done) dialog.close();
    return done;
  };
  const dialog = openDialog(
    title,
    [
      make("div", { class: "scan-ways" }, ...ways.filter(Boolean), file),
      note,
      editor.element,
      sum,
      tilePad(edition, (_, tile) => editor.add(tile)),
    ],
    {
      wide: true,
      foot: [
        button("Remove", () => editor.remove()),
        button("Undo", () => editor.back()),
        button(says, () => give(), "main"),
      ],
    },
  );
  tellSum(sum, [known]);
  return dialog;
}

// More of a tile than the box holds: every place where it was read is named, since any of them may be the wrong one.
function question(error, note, surely) {
  if (error.code !== "impossible-tiles") return false;
  const places = error.details.places.map((place) =>
    place.where === "table" ? `on the table, meld ${place.meld + 1}` : `on ${nameOf(place.player)}’s rack`,
  );
  note.replaceChildren(
    make("b", {}, error.message),
    make("span", {}, ` It was read ${[...new Set(places)].join("; ")}. `),
    button("They are right all the same", surely),
  );
  note.scrollIntoView({ block: "nearest" });
  return true;
}

function tellSum(sum, rows) {
  const tiles = rows.flat();
  const { edition } = evening();
  sum.replaceChildren(
    make("span", {}, count(tiles.length, "tile")),
    edition.stars ? "" : make("b", {}, `${pointsOf(tiles)} points`),
  );
}

// As the sheet will count them; the joker's worth is the edition's.
const pointsOf = (tiles) => tiles.reduce((sum, tile) => sum + (tile.number ?? evening().edition.joker_left), 0);

async function scanTable(note, put) {
  note.textContent = "Looking at the table.";
  try {
    put(await press("scan"), true);
  } catch (error) {
    said(error, note);
  }
}

async function sendPicture(picture, note, put) {
  if (picture.size > LARGEST_BYTES) {
    note.textContent = `That picture is too large: ${Math.round(picture.size / 1024 / 1024)} MB, and 20 fit.`;
    return;
  }
  note.textContent = "Reading the picture.";
  const form = new FormData();
  form.append("picture", picture);
  try {
    put(await send("scan", form));
  } catch (error) {
    said(error, note);
  }
}

function said(error, note) {
  if (!(error instanceof Refused)) throw error;
  note.textContent = error.message;
  if (error.code === "stale") refuse(error);
}

// The camera sees the melds on the table as well as the rack that was poured out beside them.
function withoutTable(rows) {
  const left = rows.map((row) => [...row]);
  for (const meld of evening().table) {
    const texts = meld.map((tile) => tile.text);
    // The whole row first: the same tiles may lie in the rack's rows as well.
    for (const whole of [true, false])
      if (left.some((row) => cut(row, texts, whole) || cut(row, [...texts].reverse(), whole))) break;
  }
  return left.filter((row) => row.length > 0);
}

// Takes tiles that lie beside each other out of a row; gives whether they were there.
function cut(row, texts, whole) {
  if (whole && row.length !== texts.length) return false;
  const at = row.findIndex((_, from) => texts.every((text, place) => row[from + place]?.text === text));
  if (at >= 0) row.splice(at, texts.length);
  return at >= 0;
}
