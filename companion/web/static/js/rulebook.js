// The rules for players: chapters with quotes of the rulebook and drawn examples.

import { get } from "./api.js";
import { openDialog } from "./dialog.js";
import { icon, make } from "./dom.js";
import { gettext, ngettext } from "./language.js";
import { meldElements, tileElement, tileRow } from "./tiles.js";
import { toastRefusal } from "./toast.js";

/** @typedef {Fetched<"rules">["chapters"][number]} Chapter */
/** @typedef {Chapter["examples"][number]} Example */

/**
 * @param {string} [edition] the key of an edition; by default the rules in play
 */
export async function openRules(edition) {
  try {
    const { name, house, language, chapters } = await get("rules", edition ? { edition } : {});
    const changed = house.length ? [make("p", { class: "hint" }, gettext("With your house rules."))] : [];
    const drawn = chapters.map((chapter, index) => chapterElement(chapter, language, index === 0));
    openDialog(gettext("The rules: {name}", { name }), [...changed, make("div", { class: "chapters" }, ...drawn)], {
      roomy: true,
    });
  } catch (error) {
    toastRefusal(error);
  }
}

/**
 * @param {Chapter} chapter
 * @param {string} language of the rulebook
 * @param {boolean} open
 */
const chapterElement = ({ title, says, quotes, examples }, language, open) =>
  make(
    "details",
    { class: "chapter", open },
    make("summary", {}, title),
    ...says.map((sentence) => make("p", {}, sentence)),
    ...examples.map(exampleElement),
    quotes.length > 0 && quotesElement(quotes, language),
  );

/**
 * @param {Chapter["quotes"]} quotes
 * @param {string} language
 */
const quotesElement = (quotes, language) =>
  make(
    "details",
    { class: "quotes" },
    make("summary", {}, gettext("In the rulebook's own words")),
    ...quotes.map(({ section, text }) =>
      make("blockquote", { lang: language }, make("b", {}, section), make("p", {}, text)),
    ),
  );

/** @param {Example} example */
function exampleElement({ says, printed, before, after, placed, legal, stars, why }) {
  const isSet = before.length === 0;
  const table = (/** @type {Tile[][]} */ melds) => make("div", { class: "mat small" }, ...meldElements(melds));
  return make(
    "figure",
    { class: "example", "data-legal": String(legal) },
    make(
      "figcaption",
      {},
      icon(legal ? "tick" : "cross"),
      make("b", {}, legal ? gettext("Allowed") : gettext("Not allowed")),
      make("span", {}, says),
      stars !== null && make("b", { class: "stars" }, icon("star"), ngettext("{count} star", "{count} stars", stars)),
      printed && make("small", {}, gettext("as the rulebook prints it")),
    ),
    isSet ? null : step(gettext("On the table"), table(before)),
    isSet || placed.length === 0
      ? null
      : step(gettext("From the rack"), make("div", { class: "mat small" }, tileRow(placed))),
    isSet ? table(after) : step(gettext("Then"), table(after)),
    why.length > 0 &&
      make(
        "p",
        { class: "why" },
        ...why.flatMap(({ text, tiles }) => [text, ...tiles.map((tile) => tileElement(tile))]),
      ),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement} content
 */
const step = (title, content) => make("div", { class: "example-step" }, make("small", {}, title), content);
