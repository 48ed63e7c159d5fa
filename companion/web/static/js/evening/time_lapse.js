// The pictures of a game night's turns one after another, with captions, and as a film to share.

import { asRefusal } from "../api.js";
import { button } from "../dialog.js";
import { fill, icon, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { tileRow } from "../tiles.js";
import { toast } from "../toast.js";
import { fetchFilm } from "./film.js";
import { waysOut } from "./share.js";

/** @typedef {import("../../../tooling/api.js").components["schemas"]["PicturedTurnJson"]} PicturedTurn */

const EACH_MS = 800;

/**
 * @param {string} evening its id
 * @param {PicturedTurn[]} turns at least one
 * @param {string} fileName of the film
 */
export function timeLapse(evening, turns, fileName) {
  const picture = make("img", { alt: "" });
  const caption = make("figcaption", { "aria-live": "polite" });
  const slider = make("input", {
    type: "range",
    min: 0,
    max: turns.length - 1,
    step: 1,
    value: 0,
    class: "slider",
    "aria-label": gettext("Which turn"),
  });
  const play = button("", () => (timer === 0 ? start() : stop()), "main");
  let timer = 0;
  let at = 0;

  /** @param {number} place */
  function show(place) {
    at = place;
    const turn = turns[at];
    picture.src = turn.picture;
    picture.alt = gettext("The table after it: {what}", { what: `${turn.name}, ${turn.text}` });
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${turn.name}, ${turn.text}`);
    fill(caption, ...captionOf(turn));
    if (at + 1 < turns.length) new Image().src = turns[at + 1].picture;
  }

  function showState() {
    const text = timer === 0 ? gettext("Play") : gettext("Pause");
    fill(play, icon(timer === 0 ? "play" : "pause"), make("span", {}, text));
  }

  function start() {
    if (at === turns.length - 1) show(0);
    // Screen readers do not read the captions of a running film.
    caption.setAttribute("aria-live", "off");
    timer = window.setInterval(() => (at + 1 < turns.length ? show(at + 1) : stop()), EACH_MS);
    showState();
  }

  function stop() {
    window.clearInterval(timer);
    timer = 0;
    caption.setAttribute("aria-live", "polite");
    showState();
  }

  /** @param {number} place */
  const jump = (place) => {
    stop();
    show(Math.max(0, Math.min(turns.length - 1, place)));
  };
  slider.addEventListener("input", () => jump(Number(slider.value)));
  show(0);
  showState();
  return make(
    "section",
    { class: "paper time-lapse", "aria-labelledby": "time-lapse-title" },
    make("h2", { id: "time-lapse-title" }, gettext("The evening as a film")),
    make(
      "p",
      { class: "hint" },
      ngettext("{count} turn with its picture", "{count} turns with their pictures", turns.length),
    ),
    make(
      "figure",
      {},
      make("div", { class: "shown" }, picture),
      make(
        "div",
        { class: "player" },
        step("left", gettext("Previous turn"), () => jump(at - 1)),
        play,
        step("right", gettext("Next turn"), () => jump(at + 1)),
        slider,
      ),
      caption,
    ),
    filmPart(evening, fileName),
  );
}

/**
 * @param {string} drawing
 * @param {string} label
 * @param {() => void} act
 */
const step = (drawing, label, act) =>
  make("button", { type: "button", class: "button", "aria-label": label, onclick: act }, icon(drawing));

/** @param {PicturedTurn} turn */
const captionOf = ({ name, player, text, stands, tiles }) => [
  make("span", { class: `swatch seat-${player}` }),
  make("b", {}, name),
  make("span", {}, text),
  stands === null
    ? null
    : make(
        "span",
        { class: stands ? "stands" : "falls" },
        icon(stands ? "tick" : "cross"),
        stands ? gettext("The turn counts.") : gettext("The turn does not count."),
      ),
  tiles.length > 0 ? tileRow(tiles) : null,
];

/**
 * Requests the film after a tap, and offers it when it is ready.
 * @param {string} evening
 * @param {string} fileName
 */
function filmPart(evening, fileName) {
  const said = make("p", { class: "hint", role: "status" }, "");
  const ways = make("div", { class: "ways" });
  const begin = button(gettext("Make a film to share"), async () => {
    begin.disabled = true;
    said.textContent = gettext("The app makes the film. That takes a few seconds.");
    try {
      const film = await fetchFilm(evening);
      said.textContent = gettext("The film is ready: {size} MB.", { size: (film.size / 1e6).toFixed(1) });
      fill(ways, ...waysOut(film, fileName));
    } catch (error) {
      said.textContent = "";
      begin.disabled = false;
      toast(asRefusal(error).message);
    }
  });
  fill(ways, begin);
  return make("div", { class: "film" }, said, ways);
}
