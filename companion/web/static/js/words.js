// Small words in sentences.
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export const sentence = (text) =>
  text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "";

// Seconds as on a clock: 1:05, and +0:12 once they are over.
export function clockTime(seconds) {
  const whole = seconds >= 0 ? Math.ceil(seconds) : Math.floor(-seconds);
  return `${seconds < 0 ? "+" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
