// What is chosen so far; kept in this browser, so that the same people sit down faster the next time.
const KEY = "tilekeeper-setup";
const FIRST = {
  seats: ["", "", "", ""],
  edition: "large-numbers",
  rounds: null,
  timer: "friendly",
  house: {},
  more: {},
  first: false,
  leader: null,
};

export const choices = { ...FIRST, ...kept() };

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export function keep() {
  localStorage.setItem(KEY, JSON.stringify(choices));
}

// Names as they are sent: people who share a rack are parted by "&".
export const people = () =>
  choices.seats
    .map((name) =>
      name
        .split("&")
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .filter((names) => names.length > 0);

// What `POST /api/evenings` takes.
export function beginning() {
  const { edition, rounds, timer, house, more, first, leader } = choices;
  const rules = Object.entries(house[edition] ?? {}).map(([name, value]) => `${name}=${value}`);
  return {
    seats: people().map((names) => ({ people: names })),
    edition,
    house: rules,
    rounds: first ? null : rounds,
    first_acquaintance: first,
    leader: first ? leader : null,
    settings: { timer, ...more },
  };
}
