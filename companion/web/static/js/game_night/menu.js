// The menu: what is needed seldom. Each line is there only while it can be done.
import { make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { enterRack } from "../entry/rack_entry.js";
import { askHowItStands } from "./begun.js";
import { askReason, confirmDialog, openDialog } from "./dialog.js";
import { countDialog, countRack, endRound } from "./racks.js";
import { leave } from "./score.js";
import { openSettings } from "./settings.js";
import { act, evening, may, maySteer, nameOf } from "./store.js";
import { tableNow } from "./table_now.js";
import { openTablets } from "./tablets.js";
import { overrule } from "./verdict_card.js";

export function openMenu() {
  const { phase, wrong, edition, out } = evening();
  const turns = phase === "turns";
  const line = (text, hint, go) =>
    make(
      "button",
      {
        type: "button",
        class: "menu-line",
        onclick: () => {
          dialog.close();
          go();
        },
      },
      make("b", {}, text),
      hint ? make("small", {}, hint) : null,
    );
  const lines = [
    turns && may("rack-count") && out === null && line("Rummikub!", "A rack is empty: the round ends", rummikub),
    may("table") && line("This is the table now", "After a spill or a bump, or for a game already begun", tableNow),
    may("overrule") &&
      line(
        wrong || may("cancel") ? "Overrule" : "Overrule the last verdict",
        "The table decides; the reason is kept",
        () => (wrong || may("cancel") ? overrule() : overruleLast()),
      ),
    may("redeal") && line("Demand a redeal", "Three pairs among the first tiles", redeal),
    may("turn") && line("Whose turn it is", "Give the turn to another player", giveTurn),
    may("pool-count") &&
      line("Count the pool", null, () =>
        countDialog("How many tiles are in the pool?", evening().pool ?? 0, "That many", (tiles) =>
          act("pool-count", { tiles }),
        ),
      ),
    may("begun") && line("How the game stands", "Who has opened, and everybody’s tiles, on one screen", askHowItStands),
    may("rack-count") &&
      line("Count a rack", "A wrong draw put right", () =>
        choosePlayer("Whose rack?", (seat) => countRack(seat, "That many")),
      ),
    may("opened") && edition.opening_points > 0 && line("Who has opened", null, openedLines),
    may("lost") && line("A tile is lost", null, () => loseTile()),
    may("returned") && line("A lost tile is back", null, returnTile),
    may("joined") && line("Somebody joins", null, join),
    may("left") &&
      line("Somebody leaves", null, () =>
        choosePlayer(
          "Who leaves?",
          (seat) =>
            confirmDialog(
              `${nameOf(seat)} leaves?`,
              "The tiles go into the pool, and what was noted stays on the sheet.",
              "Leave",
              () => act("left", { player: seat }),
            ),
          { waiting: true },
        ),
      ),
    line("Settings", may("settings") ? "Clock, sounds, corrected tiles" : "Sounds", openSettings),
    line("Tablets", "Join code and QR code", openTablets),
    maySteer() && line("Camera and play area", null, () => location.assign("/setup#camera")),
    may("end") &&
      line("End the evening", "What is scored stays", () =>
        confirmDialog("End the evening?", "A round that is not scored yet counts for nothing.", "End it", () =>
          act("end"),
        ),
      ),
    maySteer() && line("Leave this evening", "It is kept and can be opened again", leave),
  ];
  const dialog = openDialog("Menu", [make("div", { class: "menu" }, ...lines)], { roomy: true });
}

// Whoever has just laid the last tile is seldom the player whose clock runs now: the app has passed the turn on.
const rummikub = () => {
  const { player, players } = evening();
  const last = lastBefore(player, players);
  choosePlayer("Rummikub! Whose rack is empty?", endRound, {
    likely: (seat) => (seat === player ? 2 : seat === last ? 1 : 0),
  });
};

function lastBefore(player, players) {
  const seats = players.map((_, at) => (player + players.length - 1 - at) % players.length);
  return seats.find((seat) => !players[seat].away && !players[seat].waits);
}

export function overruleLast() {
  askReason(
    "Overrule the last verdict",
    "The turn that was found legal does not count, because the table says so.",
    "It does not count",
    (reason) => act("overrule", { reason, legal: false }),
  );
}

const redeal = () =>
  choosePlayer("Who demands it?", (seat) =>
    enterRack(seat, {
      title: `${nameOf(seat)}’s first tiles`,
      says: "Show them",
      sendIt: (tiles) => act("redeal", { player: seat, tiles }),
    }),
  );

const giveTurn = () => choosePlayer("Whose turn is it?", (seat) => act("turn", { player: seat }));

// Those at the table, and where it concerns them also those who wait for the next round; the likelier ones come first.
function choosePlayer(title, choose, { likely = () => 0, waiting = false } = {}) {
  const seats = evening()
    .players.map((player, seat) => ({ player, seat }))
    .filter(({ player }) => !player.away && (waiting || !player.waits));
  seats.sort((one, other) => likely(other.seat) - likely(one.seat));
  const dialog = openDialog(title, [
    make(
      "div",
      { class: "choose-seats" },
      ...seats.map(({ player, seat }) =>
        make(
          "button",
          {
            type: "button",
            class: "seat-card",
            onclick: () => {
              dialog.close();
              choose(seat);
            },
          },
          player.name,
        ),
      ),
    ),
  ]);
}

function openedLines() {
  const rows = evening().players.map((player, seat) => {
    const box = make("input", { type: "checkbox", role: "switch", checked: player.opened });
    box.addEventListener("change", async () => {
      if (!(await act("opened", { player: seat, opened: box.checked }))) box.checked = !box.checked;
    });
    return make("label", { class: "check-line" }, box, make("span", {}, player.name));
  });
  openDialog("Who has opened", rows);
}

function loseTile() {
  const lose = (tile) => async () => (await act("lost", { tile })) && dialog.close();
  const dialog = openDialog(
    "Which tile is lost?",
    [
      make("p", { class: "hint" }, "The ledger counts without it from now on."),
      tilePad(evening().edition, (text) => lose(text)()),
      make("button", { type: "button", class: "button", onclick: lose(null) }, "Nobody knows which"),
    ],
    { wide: true },
  );
}

function returnTile() {
  const { lost } = evening();
  const back = (tile) => async () => (await act("returned", { tile })) && dialog.close();
  const dialog = openDialog(
    "Which tile is back?",
    [
      make(
        "div",
        { class: "choose-seats" },
        ...lost
          .filter(Boolean)
          .map((tile) => make("button", { type: "button", class: "seat-card", onclick: back(tile.text) }, tile.name)),
      ),
      tilePad(evening().edition, (text) => back(text)()),
    ],
    { wide: true },
  );
}

function join() {
  const name = make("input", {
    type: "text",
    class: "field",
    maxlength: 120,
    placeholder: "Name",
    "aria-label": "Name",
    autocomplete: "off",
  });
  const now = make("input", { type: "checkbox", role: "switch", checked: true });
  const send = async () => (await act("joined", { name: name.value, deals: now.checked })) && dialog.close();
  const dialog = openDialog(
    "Somebody joins",
    [name, make("label", { class: "check-line" }, now, make("span", {}, "Takes tiles at once"))],
    { foot: [make("button", { type: "button", class: "button main", onclick: send }, "Sit down")] },
  );
  name.focus();
}
