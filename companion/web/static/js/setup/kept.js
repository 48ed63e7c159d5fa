// Evenings that are kept and can be gone on with.
import { at, make } from "../dom.js";
import { openDialog } from "../game_night/dialog.js";
import { ask, press, Refused } from "../link.js";
import { toast } from "../toast.js";

export async function offerKept() {
  const { evenings } = await ask("evenings").catch(() => ({ evenings: [] }));
  at("kept").hidden = evenings.length === 0;
  at("kept").addEventListener("click", () => {
    openDialog("Earlier evenings", [make("div", { class: "menu" }, ...evenings.map(line))]);
  });
}

function line(one) {
  const when = new Date(one.changed_at).toLocaleString([], {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const state = one.trouble || (one.open ? "on the table now" : one.over ? "over" : "to be gone on with");
  return make(
    "button",
    { type: "button", class: "menu-line", disabled: Boolean(one.trouble), onclick: () => open(one.id) },
    make("b", {}, one.players.join(", ")),
    make("small", {}, `${[when, one.edition_name, state].filter(Boolean).join(", ")}`),
  );
}

async function open(id) {
  try {
    await press("evenings/open", { id });
    location.assign("/");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message);
  }
}
