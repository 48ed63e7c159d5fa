// What players could have laid, on the result of a round.

import { fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { onceLoaded } from "../late.js";
import { loadTurns, reviewOf } from "../review.js";
import { gameNight } from "./store.js";

/**
 * The turns of the last round in which players could have laid more; filled in once the app has found them.
 * @param {() => void} filled called after that
 */
export function missedTurns(filled) {
  const list = make("ul", { class: "missed", "aria-label": gettext("What was possible"), hidden: true });
  const round = gameNight().sheet.rounds.length;
  reviewOf(gameNight().id, String(gameNight().revision)).then((found) => {
    const missed = (found?.missed ?? []).filter((turn) => turn.round === round);
    if (missed.length === 0) return;
    fill(list, ...missed.map((turn) => make("li", {}, missedButton(turn))));
    list.hidden = false;
    filled();
  });
  return list;
}

/** @param {PossibleTurn} turn */
const missedButton = (turn) => {
  const open = onceLoaded(loadTurns, ({ openTurns }) => openTurns(gettext("What was possible"), [turn]));
  return make(
    "button",
    { type: "button", class: "missed-turn", onclick: open },
    make("span", {}, turn.text),
    icon("right"),
  );
};
