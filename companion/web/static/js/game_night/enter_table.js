// Enters the table by hand: as it lay at the start, to which tiles are added and among which they are moved.
import { make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { rowEditor, textOf } from "../entry/rows.js";
import { press, Refused } from "../link.js";
import { gathered } from "../verdict.js";
import { askHowItStands, beganWithoutUs } from "./begun.js";
import { button, openDialog } from "./dialog.js";
import { act, evening, nameOf, refuse, state } from "./store.js";

const JUDGE_AFTER_MS = 250;
const PURPOSES = {
  done: { title: (name) => `The table after ${name}’s turn`, says: "Done", what: "done" },
  table: { title: () => "This is the table now", says: "This is the table now", what: "table" },
  restored: { title: () => "The table as it lies", says: "It lies like this", what: "restored", as_it_lies: true },
};
let open = null;

// Opens the editor for a purpose; what was entered and not sent is kept until the turn is over.
export function enterTable(purpose) {
  if (open) return;
  const now = evening();
  const { title, says, what, ...more } = PURPOSES[purpose];
  const told = make("p", { class: "told-live", "aria-live": "polite" });
  const judge = judging(told, purpose === "done");
  const editor = rowEditor(startRows(), (rows) => judge(textOf(rows)));
  const send = async () => {
    const begun = what === "table" && beganWithoutUs();
    if (!(await act(what, { table: textOf(editor.rows()), ...more }))) return;
    dialog.close();
    if (begun) askHowItStands();
  };
  const dialog = openDialog(
    title(nameOf(now.player)),
    [editor.element, told, tilePad(now.edition, (_, tile) => editor.add(tile))],
    {
      wide: true,
      onclose: () => (open = null),
      foot: [
        button("Remove", () => editor.remove()),
        button("Undo", () => editor.back()),
        button("As it was", () => editor.set(evening().table)),
        button(says, send, "main"),
      ],
    },
  );
  open = dialog;
  judge(textOf(editor.rows()));
}

// A table that was judged wrong is mended from there; else the turn starts from the table as it lay.
function startRows() {
  const { wrong, table, failing } = evening();
  const { verdict, reading } = state();
  if (failing) return failing.wanted.map((meld) => meld.tiles);
  if (wrong && verdict && verdict.kind === "illegal") return verdict.melds;
  if (reading?.judged && reading.tiles.length > 0)
    return reading.melds.map((row) => row.map((index) => reading.tiles[index]));
  return table;
}

function judging(told, on) {
  let timer = 0;
  return (table) => {
    clearTimeout(timer);
    if (!on) return;
    timer = setTimeout(async () => {
      try {
        const { verdict } = await press("evening/judge", { table });
        tell(told, verdict);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.code === "stale" || error.code === "unreachable") refuse(error);
        told.textContent = error.message;
        told.dataset.kind = "illegal";
      }
    }, JUDGE_AFTER_MS);
  };
}

function tell(told, verdict) {
  const needed = evening().edition.opening_points;
  const points = verdict.points === null ? "" : ` ${verdict.points} of ${needed} points to open.`;
  const faults = gathered(verdict.faults).map((fault) => fault.text);
  // Nobody is called wrong who has not begun.
  if (verdict.faults.length === 1 && verdict.faults[0].code === "nothing-placed") {
    told.dataset.kind = "wait";
    told.textContent = "Tap where a tile goes, then the tile.";
    return;
  }
  told.dataset.kind = verdict.kind;
  told.textContent =
    verdict.kind === "legal"
      ? `Legal.${points}`
      : `${faults[0] ?? verdict.headline}${faults.length > 1 ? ` And ${faults.length - 1} more.` : ""}${points}`;
}
