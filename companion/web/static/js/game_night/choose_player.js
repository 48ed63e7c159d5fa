// Asks for one of the players.
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { isPlaying, seated } from "./store.js";

/**
 * Opens a dialog with a button for each player.
 * @param {string} title
 * @param {(seat: number) => unknown} choose
 * @param {object} [options]
 * @param {(seat: number) => number} [options.likelihood] players with a higher value come first
 * @param {(player: Player) => boolean} [options.which]
 */
export function choosePlayer(title, choose, { likelihood = () => 0, which = isPlaying } = {}) {
  const seats = seated(which).sort((one, other) => likelihood(other.seat) - likelihood(one.seat));
  const cards = seats.map(({ player, seat }) => {
    const press = () => {
      dialog.close();
      choose(seat);
    };
    return make("button", { type: "button", class: "seat-card", onclick: press }, player.name);
  });
  const dialog = openDialog(title, [make("div", { class: "choose-seats" }, ...cards)]);
}
