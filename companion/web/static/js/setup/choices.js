// The choices for a new game night, stored in this browser for the next time.

/**
 * @typedef {object} Choices
 * @property {string[]} seats the names as they were entered, clockwise
 * @property {string} edition
 * @property {number | null} rounds null for an open end
 * @property {"rounds" | "points" | "time"} ending what ends the evening
 * @property {number} points that end the evening
 * @property {string} until the time of day that ends the evening, `HH:MM`
 * @property {Record<string, number>} limits the time handicaps in seconds, by the name of the seat
 * @property {"off" | "friendly" | "strict"} timer
 * @property {Record<string, Record<string, string>>} house the changed rules of each edition
 * @property {{ tournament?: boolean, penalty_at_once?: boolean, notices_done?: boolean, hints?: boolean }} more other
 *   settings
 * @property {boolean} first whether it is the first-acquaintance game
 * @property {number | null} leader the seat of the player who points at the tiles in it
 */

const KEY = "tilekeeper-setup";

/** @type {Choices} */
const FIRST = {
  seats: ["", "", "", ""],
  edition: "large-numbers",
  rounds: null,
  ending: "rounds",
  points: 200,
  until: "22:00",
  limits: {},
  timer: "friendly",
  house: {},
  more: {},
  first: false,
  leader: null,
};

/** @type {Choices} */
export const choices = { ...FIRST, ...stored() };

/** @returns {Partial<Choices>} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

export function storeChoices() {
  localStorage.setItem(KEY, JSON.stringify(choices));
}

// The people at each occupied seat; people who share a rack are separated by "&".
export const seatedPeople = () =>
  choices.seats
    .map((names) => names.split("&").map((name) => name.trim()))
    .map((names) => names.filter(Boolean))
    .filter((names) => names.length > 0);

/**
 * The body for `POST /api/evenings`.
 * @param {Partial<PostBody<"evenings">["settings"]>} settings further settings
 * @returns {PostBody<"evenings">}
 */
export function beginBody(settings) {
  const { edition, rounds, ending, timer, house, more, first, leader } = choices;
  return {
    seats: seatedPeople().map((people) => ({ people })),
    edition,
    house: Object.entries(house[edition] ?? {}).map(([name, value]) => `${name}=${value}`),
    rounds: first || ending !== "rounds" ? null : rounds,
    first_acquaintance: first,
    leader: first ? leader : null,
    settings: { timer, ...more, ...settings },
  };
}
