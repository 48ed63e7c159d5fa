// The table overrules the judge: it gives a reason, which the history keeps.

import { askReason } from "../dialog.js";
import { gettext } from "../language.js";
import { act } from "./store.js";

// What lies there and was judged wrong, or can't be judged, stands.
export function overrule() {
  askReason(
    gettext("Change decision"),
    gettext("The table decides: the turn counts. The reason is kept in the history."),
    gettext("It counts"),
    (reason) => act("overrule", { reason }),
  );
}

// The turn before, which was judged legal, does not count.
export function overruleLast() {
  askReason(
    gettext("Change the last decision"),
    gettext("The table decides: the last turn does not count. The reason is kept in the history."),
    gettext("It does not count"),
    (reason) => act("overrule", { reason, legal: false }),
  );
}
