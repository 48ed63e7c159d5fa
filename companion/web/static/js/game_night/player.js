// What is known of a player, and what can be put right.
import { make } from "../dom.js";
import { button, openDialog } from "./dialog.js";
import { countRack, endRound } from "./racks.js";
import { act, evening, may } from "./store.js";

export function openPlayer(seat) {
  const { players, player: turn, edition, phase, out } = evening();
  const player = players[seat];
  const facts = [
    ["Tiles on the rack", player.rack < 0 ? "miscounted: count them" : player.rack],
    edition.stars
      ? ["Stars", player.stars]
      : ["Has opened", edition.opening_points > 0 ? (player.opened ? "yes" : "not yet") : null],
    ["Turns", player.turns],
    ["Drawn", player.drawn],
    ["Penalty tiles", player.penalties],
    player.people.length > 1 ? ["At this rack", player.people.join(", ")] : null,
  ].filter((fact) => fact && fact[1] !== null);
  const plays = phase === "turns" && out === null && !player.away && !player.waits;
  const ways = [
    plays &&
      may("rack-count") &&
      button("Rummikub!", () => {
        dialog.close();
        endRound(seat);
      }),
    may("rack-count") &&
      !player.away &&
      !player.waits &&
      button("Count the rack", () => {
        dialog.close();
        countRack(seat, "That many");
      }),
    may("turn") &&
      seat !== turn &&
      !player.away &&
      !player.waits &&
      button("It is their turn", async () => (await act("turn", { player: seat })) && dialog.close()),
    may("opened") &&
      edition.opening_points > 0 &&
      !player.away &&
      !player.waits &&
      button(
        player.opened ? "Had not opened" : "Had opened",
        async () => (await act("opened", { player: seat, opened: !player.opened })) && dialog.close(),
      ),
  ].filter(Boolean);
  const dialog = openDialog(
    player.name,
    [
      make(
        "dl",
        { class: "facts-list" },
        ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]),
      ),
    ],
    { foot: ways },
  );
}
