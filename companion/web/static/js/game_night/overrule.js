// The players overrule the judge and give a reason, which the history keeps.

import { askReason } from "../dialog.js";
import { gettext } from "../language.js";
import { act } from "./store.js";
import { closeWithTurn } from "./turn_dialogs.js";

const CHECKED = gettext("We checked it together.");
const MISREAD = gettext("The app read a tile wrong.");

// Lets the current table count as legal, although it was judged illegal or can't be judged.
export function overrule() {
  closeWithTurn(
    askReason(
      gettext("Change decision"),
      gettext("The players decide: the turn counts. The reason is kept in the history."),
      gettext("It counts"),
      [CHECKED, MISREAD, gettext("We play by another rule.")],
      (reason) => act("overrule", { reason }),
    ),
  );
}

// Lets a turn count that the judge can't decide; the reason is always the same, so nobody is asked for it.
export function acceptUndecided() {
  return act("overrule", { reason: CHECKED });
}

// Lets the previous turn, which was judged legal, count as failed.
export function overruleLast() {
  closeWithTurn(
    askReason(
      gettext("Change the last decision"),
      gettext("The players decide: the last turn does not count. The reason is kept in the history."),
      gettext("It does not count"),
      [CHECKED, MISREAD, gettext("We saw a mistake too late.")],
      (reason) => act("overrule", { reason, legal: false }),
    ),
  );
}
