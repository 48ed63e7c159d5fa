// The practice turn: on an invented table by hand, or with real tiles in front of the camera.

import { asRefusal, get, post, Refusal } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { textOf } from "../entry/notation.js";
import { tilePad } from "../entry/pad.js";
import { rowEditor } from "../entry/rows.js";
import { gettext } from "../language.js";
import { meldElements, tileRow } from "../tiles.js";
import { faultSaid } from "../verdict_card.js";

/** @typedef {Fetched<"practice">} Practice */

const LOOK_EVERY_MS = 1000;
// Nobody can lay tiles without a camera or in a film.
const WITHOUT_HANDS = ["none", "demo"];

/** @param {HTMLElement} place */
export async function drawPractice(place) {
  try {
    const [practice, { watched }] = await Promise.all([get("practice"), get("sources")]);
    const outcome = make("p", { class: "outcome", role: "status" });
    const byCamera = !WITHOUT_HANDS.includes(watched);
    fill(
      place,
      make("h2", {}, gettext("One practice turn. It does not count")),
      ...(byCamera ? cameraTurn(outcome) : handTurn(practice, outcome)),
      outcome,
    );
  } catch (error) {
    fill(place, make("p", {}, asRefusal(error).message));
  }
}

/**
 * @param {Practice} practice
 * @param {HTMLElement} outcome
 */
const handTurn = (practice, outcome) => [
  make("p", {}, gettext("It is your turn, and you have opened. Add a tile to a set on the table, or lay a new set.")),
  make(
    "div",
    {},
    make("h3", {}, gettext("On the table")),
    make("div", { class: "mat small" }, ...meldElements(practice.table)),
  ),
  make("div", {}, make("h3", {}, gettext("On your rack")), make("div", { class: "mat small" }, tileRow(practice.rack))),
  make(
    "p",
    {},
    gettext("At a real table you use your hands. Then press Done, and enter which tiles are on the table now."),
  ),
  make(
    "div",
    { class: "ways" },
    button(gettext("Done"), () => enter(practice, outcome), "main large"),
  ),
];

/**
 * @param {Practice} practice
 * @param {HTMLElement} outcome
 */
function enter({ edition, table }, outcome) {
  const editor = rowEditor(table, () => {});
  const send = async () => {
    await judge({ table: textOf(editor.rows()) }, outcome);
    dialog.close();
  };
  const dialog = openDialog(gettext("The table after your turn"), [editor.element, tilePad(edition, editor.add)], {
    wide: true,
    foot: [
      button(gettext("Remove"), editor.remove),
      button(gettext("Undo"), editor.undo),
      button(gettext("Done"), send, "main"),
    ],
  });
}

/** @param {HTMLElement} outcome */
function cameraTurn(outcome) {
  /** @type {string | null} */
  let before = null;
  const done = button(gettext("Done"), () => finish(), "main large");
  done.disabled = true;
  const begin = button(gettext("Both sets are there"), async () => {
    before = await readTable(outcome);
    if (before === null) return;
    done.disabled = false;
    outcome.dataset.kind = "wait";
    outcome.textContent = gettext("The camera sees them. Now add a tile, or lay a new set, and press Done.");
  });
  const finish = async () => {
    const table = await readTable(outcome);
    if (table !== null && before !== null) await judge({ before, table }, outcome);
  };
  return [
    make("p", {}, gettext("Put two sets on the table, such as red 3, 4, 5 and three 8s in different colours.")),
    livePicture(),
    make("div", { class: "ways" }, begin, done),
  ];
}

/** The newest picture of the camera, while it is on the page. */
function livePicture() {
  const image = make("img", { class: "seen", alt: gettext("The table as the camera sees it"), hidden: true });
  const look = async () => {
    if (!image.isConnected) return;
    const state = await get("state").catch(() => null);
    if (state?.picture) {
      image.src = `/picture/${state.picture.number}.jpg`;
      image.hidden = false;
    }
    setTimeout(look, LOOK_EVERY_MS);
  };
  setTimeout(look);
  return image;
}

/**
 * Returns the table that the camera sees, in the notation; null if it can't be read.
 * @param {HTMLElement} outcome
 */
async function readTable(outcome) {
  try {
    const { reading, settled } = await get("state");
    if (reading && settled) return reading.table;
    throw new Refusal(
      gettext("The camera sees nothing that stays still. Send a picture, or enter the tiles."),
      "no-picture",
    );
  } catch (error) {
    outcome.dataset.kind = "illegal";
    outcome.textContent = asRefusal(error).message;
    return null;
  }
}

/**
 * @param {PostBody<"practice">} turn
 * @param {HTMLElement} outcome
 */
async function judge(turn, outcome) {
  try {
    const { verdict, trouble } = await post("practice", turn);
    const legal = verdict.kind === "legal" && !trouble;
    outcome.dataset.kind = legal ? "legal" : "illegal";
    const [fault] = verdict.faults;
    fill(
      outcome,
      legal ? gettext("Well done! Every turn goes like this. In a game it is the next player's turn now.") : trouble,
      !legal && !trouble && fault ? faultSaid(fault) : null,
      legal ? null : ` ${gettext("Try again: you lose nothing.")}`,
    );
  } catch (error) {
    outcome.dataset.kind = "illegal";
    outcome.textContent = asRefusal(error).message;
  }
}
