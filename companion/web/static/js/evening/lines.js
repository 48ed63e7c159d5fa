// The evening in a few lines to paste, with a coloured square per turn, and the play for the app BG Stats.

import { button } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { toast } from "../toast.js";
import { copyText } from "./copy.js";

/** @typedef {import("../../../tooling/api.js").components["schemas"]["SharedEveningJson"]} Shared */

/** @type {Record<string, string>} the kind of each square */
const SQUARES = { "🟩": "laid", "🟥": "wrong", "⬜": "nothing", "🏆": "out" };

/**
 * The lines with drawn squares, since some computers have no font for them; a copy has the letters.
 * @param {string} lines
 * @returns {Child[]}
 */
function drawnLines(lines) {
  const [title, ...others] = lines.split("\n");
  const [app, ...date] = title.split(" · ");
  const parts = others.join("\n").split(/(🟩|🟥|⬜|🏆)/u);
  return [
    ...(date.length > 0 ? [`${app} · `, make("time", {}, date.join(" · "))] : [app]),
    "\n",
    ...parts.map((part) =>
      part in SQUARES ? make("span", { class: "square", "data-kind": SQUARES[part] }, part) : part,
    ),
  ];
}

/**
 * @param {string} evening its id
 * @param {Shared} shared
 */
export function linesPart(evening, { lines, bg_stats: link }) {
  const text = make("pre", { class: "pasted", tabindex: "0", "aria-labelledby": "lines-title" }, ...drawnLines(lines));
  const file = `/api/evenings/${encodeURIComponent(evening)}/bg-stats.json`;
  return make(
    "section",
    { class: "paper lines-part", "aria-labelledby": "lines-title" },
    make("h2", { id: "lines-title" }, gettext("In a few lines")),
    text,
    make("div", { class: "ways" }, ...sending(lines), copying(lines, text)),
    make("h3", {}, gettext("For the app BG Stats")),
    make(
      "div",
      { class: "ways" },
      make("a", { class: "button", href: link }, gettext("Open in BG Stats")),
      make("a", { class: "button", href: file, download: "" }, gettext("Save as a file")),
    ),
  );
}

/**
 * @param {string} lines
 * @param {HTMLElement} shown
 */
const copying = (lines, shown) =>
  button(
    gettext("Copy"),
    async () => {
      if (await copyText(lines)) {
        toast(gettext("Copied. Paste it where you want."));
        return;
      }
      getSelection()?.selectAllChildren(shown);
      toast(gettext("This browser does not copy. The lines are selected: copy them yourself."));
    },
    "main",
  );

/**
 * A button for the share dialog of the tablet, if it has one.
 * @param {string} text
 */
function sending(text) {
  if (!navigator.canShare?.({ text })) return [];
  // A person who cancels needs no message.
  return [button(gettext("Send"), () => navigator.share({ text }).catch(() => {}))];
}
