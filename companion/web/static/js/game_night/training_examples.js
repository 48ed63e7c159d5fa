// Sends people's labels for tiles; the host is asked once whether their crops may be stored as training examples.

import { get, post } from "../api.js";
import { toggle } from "../controls.js";
import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { toast } from "../toast.js";
import { isHost, send, showRefusal } from "./store.js";

let hasAskedHost = false;

/**
 * Sends the label of a tile, and after the first one asks the host for consent.
 * @param {"answer" | "correct"} name
 * @param {PostBody<"answer">} body
 * @returns {Promise<boolean>} whether it was accepted
 */
export async function labelTile(name, body) {
  const done = await send(name, body);
  if (done && isHost() && !hasAskedHost) {
    hasAskedHost = true;
    const examples = await fetchExamples();
    // A toast with a button instead of a dialog, since a player's clock may be running.
    if (examples?.agreed === null) {
      toast(gettext("May the app learn from corrected tiles?"), {
        text: gettext("Decide"),
        act: () => askConsent(examples),
      });
    }
  }
  return done;
}

/** @param {Examples} examples */
function askConsent({ question }) {
  /** @param {boolean} agreed */
  const answer = (agreed) => async () => {
    await postConsent({ agreed });
    dialog.close();
  };
  const place = make("p", { class: "hint" }, gettext("You can change this in the menu, under Settings."));
  const dialog = openDialog(gettext("May the app learn from this?"), [make("p", {}, question), place], {
    foot: [button(gettext("No"), answer(false)), button(gettext("Yes, keep them"), answer(true), "main")],
  });
}

const fetchExamples = () => get("examples").catch(() => null);

/**
 * @param {PostBody<"examples">} body
 * @returns {Promise<Examples | null>} null if refused
 */
async function postConsent(body) {
  try {
    return await post("examples", body);
  } catch (error) {
    showRefusal(error);
    return null;
  }
}

// The same choice in the settings: a switch, the number of stored crops, and a button to delete them.
export async function trainingExamplesSetting() {
  const lines = make("div", { class: "teaching" });
  /** @param {Examples | null} examples */
  const draw = (examples) => {
    if (!examples) return;
    const { agreed, kept } = examples;
    /** @param {PostBody<"examples">} body */
    const change = async (body) => draw(await postConsent(body));
    fill(
      lines,
      toggle(gettext("Keep small pictures of corrected tiles on this computer"), agreed === true, (on) =>
        change({ agreed: on }),
      ),
      make(
        "p",
        { class: "hint" },
        kept > 0
          ? ngettext("{count} picture kept.", "{count} pictures kept.", kept)
          : gettext("No picture is stored yet."),
      ),
      kept > 0 &&
        button(ngettext("Delete {count} picture", "Delete {count} pictures", kept), () =>
          change({ agreed: agreed === true, forget: true }),
        ),
    );
  };
  draw(await fetchExamples());
  return lines;
}
