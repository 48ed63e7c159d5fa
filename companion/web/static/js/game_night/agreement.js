// The dialog to change the agreement of the game night: names, rounds, seconds and opening points.

import { stepper } from "../controls.js";
import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { act, gameNight } from "./store.js";

const MOST_ROUNDS = 99;
const [SECONDS_STEP, LEAST_SECONDS, MOST_SECONDS] = [15, 15, 600];
const [POINTS_STEP, MOST_POINTS] = [5, 100];

export function askAgreement() {
  const { edition, players, round, rounds_agreed: rounds } = gameNight();
  /** @type {ActionBody<"agreement">} */
  const changed = {};
  const names = players.map(({ name }, player) => {
    const label = gettext("Name of player {number}", { number: player + 1 });
    const field = make("input", { type: "text", class: "field", value: name, maxlength: 120, "aria-label": label });
    return { player, name, field };
  });
  const seconds = (/** @type {number} */ count) => gettext("{count} s", { count });
  const points = (/** @type {number} */ count) => ngettext("{count} point", "{count} points", count);
  const send = async () => {
    const renamed = names
      .filter(({ name, field }) => field.value.trim() !== name)
      .map(({ player, field }) => ({ player, name: field.value }));
    return (await act("agreement", { ...changed, names: renamed })) && dialog.close();
  };
  const dialog = openDialog(
    gettext("Names and rules of this evening"),
    [
      make("div", { class: "names-now" }, ...names.map(({ field }) => field)),
      stepper(
        gettext("Rounds"),
        rounds,
        { least: round, most: MOST_ROUNDS, none: gettext("No fixed end") },
        (number) => {
          changed.rounds = number;
        },
      ),
      edition.limit_s !== null &&
        stepper(
          gettext("Time for a turn"),
          edition.limit_s,
          { by: SECONDS_STEP, least: LEAST_SECONDS, most: MOST_SECONDS, unit: seconds },
          (number) => {
            if (number !== null) changed.limit_s = number;
          },
        ),
      edition.opening_points > 0 &&
        stepper(
          gettext("Opening"),
          edition.opening_points,
          { by: POINTS_STEP, least: 1, most: MOST_POINTS, unit: points },
          (number) => {
            if (number !== null) changed.opening_points = number;
          },
        ),
      make("p", { class: "hint" }, gettext("This counts from now on. Turns that were played stay as they are.")),
    ],
    { foot: [button(gettext("Cancel"), () => dialog.close()), button(gettext("Save"), send, "main")] },
  );
}
