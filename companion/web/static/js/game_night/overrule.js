// The table overrules the judge: it gives a reason, which the history keeps.

import { askReason } from "../dialog.js";
import { gettext } from "../language.js";
import { act } from "./store.js";

// What lies there and was judged wrong, or can't be judged, stands.
export function overrule() {
  askReason(
    gettext("Overrule"),
    gettext("What lies there stands, because the table says so. The reason is kept in the history."),
    gettext("It stands"),
    (reason) => act("overrule", { reason }),
  );
}

// The turn before, which was judged legal, does not count.
export function overruleLast() {
  askReason(
    gettext("Overrule the last verdict"),
    gettext("The turn that was found legal does not count, because the table says so."),
    gettext("It does not count"),
    (reason) => act("overrule", { reason, legal: false }),
  );
}
