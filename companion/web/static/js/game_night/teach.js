// What people say of tiles; the host is asked once whether pictures of such tiles may be kept to learn from.
import { make } from "../dom.js";
import { ask, press } from "../link.js";
import { toast } from "../toast.js";
import { count } from "../words.js";
import { button, openDialog } from "./dialog.js";
import { isHost, refuse, tap } from "./store.js";

let asked = false;

// Says what a tile is (`answer` or `correct`), and asks the question once, after the game has heard it.
export async function teach(what, body) {
  const done = await tap(what, body);
  if (done && isHost() && !asked) {
    asked = true;
    const examples = await ask("examples").catch(() => null);
    // A line with a button, no dialog: somebody's clock may run.
    if (examples && examples.agreed === null)
      toast("May it learn from corrected tiles?", { text: "Decide", act: () => question(examples) });
  }
  return done;
}

function question({ question: text, folder }) {
  const say = (agreed) => () => answer({ agreed }).then(() => dialog.close());
  const dialog = openDialog(
    "May it learn from this?",
    [
      make("p", {}, text),
      make(
        "p",
        { class: "hint" },
        "They lie in ",
        make("code", {}, folder),
        ". You can change your mind in the menu, under Settings.",
      ),
    ],
    {
      foot: [button("No", say(false)), button("Yes, keep them", say(true), "main")],
    },
  );
}

const answer = (body) => press("examples", body).catch(refuse);

// The same choice for the settings: a switch, where they lie, and a way to delete them.
export async function teachingLines() {
  const lines = make("div", { class: "teaching" });
  const draw = (examples) => {
    if (!examples) return;
    const { agreed, folder, kept } = examples;
    const box = make("input", { type: "checkbox", role: "switch", checked: agreed === true });
    const change = async (body) => draw(await answer(body));
    box.addEventListener("change", () => change({ agreed: box.checked }));
    lines.replaceChildren(
      make(
        "label",
        { class: "check-line" },
        box,
        make("span", {}, "Keep small pictures of corrected tiles on this computer"),
      ),
      make(
        "p",
        { class: "hint" },
        kept > 0 ? `${count(kept, "picture")} in ` : "They would lie in ",
        make("code", {}, folder),
      ),
      ...(kept > 0
        ? [button(`Delete ${count(kept, "picture")}`, () => change({ agreed: box.checked, forget: true }))]
        : []),
    );
  };
  draw(await ask("examples").catch(() => null));
  return lines;
}
