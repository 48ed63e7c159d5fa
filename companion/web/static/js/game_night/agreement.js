// The dialog to change the agreement of the game night: names, the end, seconds and opening points.

import { stepper } from "../controls.js";
import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { endingChoice, endsAt, pointsControl, timeControl } from "../ending.js";
import { gettext, ngettext } from "../language.js";
import { act, gameNight } from "./store.js";

/** @typedef {import("../ending.js").Ending} Ending */

const MOST_ROUNDS = 99;
const [USUAL_POINTS, USUAL_TIME] = [200, "22:00"];
const [SECONDS_STEP, LEAST_SECONDS, MOST_SECONDS] = [15, 15, 600];
const [POINTS_STEP, MOST_POINTS] = [5, 100];

export function askAgreement() {
  const { edition, players } = gameNight();
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
    if (!(await act("agreement", { ...changed, ...end.agreement(), names: renamed }))) return;
    const settings = end.settings();
    if (settings === null || (await act("settings", settings))) dialog.close();
  };
  const end = endPart();
  const dialog = openDialog(
    gettext("Names and rules of this evening"),
    [
      make("div", { class: "names-now" }, ...names.map(({ field }) => field)),
      ...end.elements,
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

/** The choice of the end, with the changes of the agreement and of the settings that it makes; null for no change. */
function endPart() {
  const { round, rounds_agreed: agreed, settings, sheet } = gameNight();
  const before = endingNow();
  const now = {
    ending: before,
    rounds: agreed,
    points: settings.end_points || USUAL_POINTS,
    until: settings.ends_at === "" ? USUAL_TIME : timeOf(settings.ends_at),
  };
  const until = now.until;
  /** @param {Ending} ending */
  const controlOf = (ending) => {
    switch (ending) {
      case "rounds":
        return stepper(
          gettext("Rounds"),
          now.rounds,
          { least: round, most: MOST_ROUNDS, none: gettext("No fixed end") },
          (rounds) => {
            now.rounds = rounds;
          },
        );
      case "points":
        return pointsControl(now.points, (points) => {
          now.points = points;
        });
      case "time":
        return timeControl(now.until, (time) => {
          now.until = time;
        });
    }
  };
  const choose = (/** @type {Ending} */ ending) => {
    now.ending = ending;
  };
  const rounds = () => (now.ending === "rounds" ? now.rounds : null);
  const moment = () => (before === "time" && now.until === until ? settings.ends_at : endsAt(now.until));
  const ending = () => ({
    end_points: now.ending === "points" ? now.points : 0,
    ends_at: now.ending === "time" ? moment() : "",
  });
  return {
    elements: endingChoice(before, sheet.counts === "highest-total", controlOf, choose),
    agreement: () => (rounds() === agreed ? {} : { rounds: rounds() }),
    settings: () => {
      const { end_points: points, ends_at: at } = ending();
      return points === settings.end_points && at === settings.ends_at ? null : { end_points: points, ends_at: at };
    },
  };
}

/** @returns {Ending} */
function endingNow() {
  const { settings, sheet } = gameNight();
  if (settings.ends_at !== "") return "time";
  return settings.end_points > 0 && sheet.counts === "highest-total" ? "points" : "rounds";
}

/** @param {string} moment */
function timeOf(moment) {
  const at = new Date(moment);
  return [at.getHours(), at.getMinutes()].map((number) => String(number).padStart(2, "0")).join(":");
}
