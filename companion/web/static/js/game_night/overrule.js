// The players overrule the judge and give a reason, which the history keeps.

import { askReason } from "../dialog.js";
import { gettext } from "../language.js";
import { act } from "./store.js";

// The present table counts as legal, although it was judged illegal or can't be judged.
export function overrule() {
  askReason(
    gettext("Overrule"),
    gettext("What lies there stands, because the table says so. The reason is kept in the history."),
    gettext("It stands"),
    (reason) => act("overrule", { reason }),
  );
}

// The turn before, which was judged legal, counts as failed.
export function overruleLast() {
  askReason(
    gettext("Overrule the last verdict"),
    gettext("The turn that was found legal does not count, because the table says so."),
    gettext("It does not count"),
    (reason) => act("overrule", { reason, legal: false }),
  );
}
