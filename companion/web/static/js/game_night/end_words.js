// How the evening ends, in words: by points or by the time of day; rounds are told beside the number of the round.

import { gettext, LOCALE, ngettext } from "../language.js";
import { gameNight } from "./store.js";

/** @returns {string} empty without such an end */
export function endWords() {
  const { settings, phase, sheet } = gameNight();
  if (phase === "over") return "";
  if (settings.end_points > 0 && sheet.counts === "highest-total") {
    const count = settings.end_points;
    return ngettext("The evening ends at {count} point.", "The evening ends at {count} points.", count);
  }
  if (settings.ends_at === "") return "";
  const moment = new Date(settings.ends_at);
  if (Date.now() >= moment.getTime()) return gettext("This is the last round.");
  const time = moment.toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit" });
  return gettext("The evening ends at {time}.", { time });
}
