// The page of one past game night: the score sheet, a picture of it to share, and the turns one after another.

import { asRefusal, get, getOf, post } from "../api.js";
import { button, confirmDialog } from "../dialog.js";
import { byId, fill, make } from "../dom.js";
import { dayElement, factsOf, stateOf, winnersLine } from "../evenings/words.js";
import { chart } from "../game_night/chart.js";
import { gettext } from "../language.js";
import { puzzleButton } from "../review.js";
import { sheetElement } from "../sheet_table.js";
import { keepShell } from "../shell.js";
import { toastRefusal } from "../toast.js";
import { listed } from "../words.js";
import { linesPart } from "./lines.js";
import { waysOut } from "./share.js";
import { drawSheet } from "./sheet_picture.js";
import { timeLapse } from "./time_lapse.js";

/** @typedef {import("../evenings/words.js").PastEvening} PastEvening */
/** @typedef {GameNight["sheet"]} Sheet */

const ID = byId("evening").dataset.evening ?? "";

async function show() {
  try {
    const { evening, sheet, watch } = await getOf("evenings/{evening}/sheet", ID);
    const turns = watch ? (await getOf("evenings/{evening}/turns", ID)).turns : [];
    const scored = sheet !== null && sheet.rounds.length > 0;
    // Without the lines to paste the page still shows everything else.
    const shared = scored ? await getOf("evenings/{evening}/shared", ID).catch(() => null) : null;
    byId("title").textContent = winnersLine(evening, listed);
    const facts = [factsOf(evening), stateOf(evening)].filter(Boolean);
    fill(byId("facts"), dayElement(evening), ...facts.map((fact) => ` · ${fact}`));
    const name = `tilekeeper-${evening.begun_at.slice(0, 10)}`;
    fill(
      byId("after"),
      scored ? await picturePart(evening, sheet, `${name}.png`) : null,
      shared ? linesPart(ID, shared) : null,
      turns.length > 0 ? timeLapse(ID, turns, `${name}.gif`) : null,
      await sheetPart(evening, sheet, turns.length === 0),
    );
  } catch (error) {
    byId("facts").textContent = asRefusal(error).message;
  }
  document.body.dataset.ready = "";
}

/**
 * @param {PastEvening} evening
 * @param {Sheet} sheet
 * @param {string} fileName
 */
async function picturePart(evening, sheet, fileName) {
  const drawn = await drawSheet(evening, sheet);
  const alt = gettext("The score sheet as a picture: {winner}. {totals}", {
    winner: winnersLine(evening, listed),
    totals: evening.players.map((name, seat) => `${name} ${sheet.totals[seat].text}`).join(", "),
  });
  return make(
    "section",
    { class: "paper sheet-picture", "aria-labelledby": "picture-title" },
    make("h2", { id: "picture-title" }, gettext("To share")),
    make("img", { src: URL.createObjectURL(drawn.blob), width: drawn.width, height: drawn.height, alt }),
    make("div", { class: "ways" }, ...waysOut(drawn.blob, fileName)),
  );
}

/**
 * @param {PastEvening} evening
 * @param {Sheet | null} sheet
 * @param {boolean} inColumn whether it is beside the picture on a wide page
 */
async function sheetPart(evening, sheet, inColumn) {
  const label = gettext("Score sheet");
  const scored = sheet && sheet.rounds.length > 0;
  return make(
    "section",
    { class: "paper", "aria-labelledby": "sheet-title" },
    make("h2", { id: "sheet-title" }, label),
    ...(scored
      ? [
          sheetElement(sheet, evening.players),
          ...sheet.balance.map((line) => make("p", { class: sheet.balanced ? "check" : "check wrong" }, line)),
          chart(sheet.running, evening.players, inColumn),
        ]
      : [make("p", {}, sheet ? winnersLine(evening, listed) : gettext("The score of this evening can't be read."))]),
    make("div", { class: "ways" }, scored && puzzleButton(evening.id, evening.changed_at), await wayOn(evening)),
  );
}

/** @param {PastEvening} evening */
async function wayOn({ open, over }) {
  if (open) return make("a", { class: "button", href: "/" }, gettext("To the table"));
  const text = over ? gettext("Reopen") : gettext("Go on with this evening");
  const played = (await get("state").catch(() => null))?.evening;
  const busy = Boolean(played) && played?.phase !== "over";
  return button(text, () => (busy ? askFirst(text) : goOn()));
}

/** @param {string} text */
const askFirst = (text) =>
  confirmDialog(
    text,
    gettext("Another evening is in progress now. It is saved as it is, and all devices leave it."),
    text,
    goOn,
  );

async function goOn() {
  try {
    await post("evenings/open", { id: ID });
    location.assign("/");
  } catch (error) {
    toastRefusal(error);
  }
}

keepShell();
show();
