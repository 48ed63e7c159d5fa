// Game nights that are kept and can be gone on with.

import { get, post } from "../api.js";
import { openDialog } from "../dialog.js";
import { byId, make } from "../dom.js";
import { gettext, LANGUAGE, pgettext } from "../language.js";
import { toastRefusal } from "../toast.js";

export async function offerEarlierGameNights() {
  const { evenings } = await get("evenings").catch(() => ({ evenings: [] }));
  byId("earlier").hidden = evenings.length === 0;
  byId("earlier").addEventListener("click", () => {
    openDialog(gettext("Earlier evenings"), [make("div", { class: "menu" }, ...evenings.map(line))]);
  });
}

/** @param {KeptGameNight} one */
function line(one) {
  const when = new Date(one.changed_at).toLocaleString(LANGUAGE, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const state =
    one.trouble ||
    (one.open
      ? gettext("on the table now")
      : one.over
        ? pgettext("an evening", "over")
        : gettext("to be gone on with"));
  return make(
    "button",
    { type: "button", class: "menu-line", disabled: !one.readable, onclick: () => open(one.id) },
    make("b", {}, one.players.join(", ")),
    make("small", {}, [when, one.edition_name, state].filter(Boolean).join(", ")),
  );
}

/** @param {string} id */
async function open(id) {
  try {
    await post("evenings/open", { id });
    location.assign("/");
  } catch (error) {
    toastRefusal(error);
  }
}
