// Advice on camera and lamp, updated while the camera is being placed.

import { asRefusal, get } from "../api.js";
import { byId, fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { redraw } from "../redraw.js";

const LOOK_EVERY_MS = 2000;
let timer = 0;
/** @type {(picture: number | null) => void} */
let showPicture = () => {};

/**
 * Calls `show` after each test, with the number of the tested picture.
 * @param {(picture: number | null) => void} show
 */
export function onTested(show) {
  showPicture = show;
}

/**
 * Tests the picture repeatedly while the advice is visible.
 * @param {boolean} watched whether there is a camera
 */
export function watchPlacement(watched) {
  clearTimeout(timer);
  byId("placement").hidden = !watched;
  if (watched) look();
}

async function look() {
  if (!byId("placement").checkVisibility()) return;
  if (document.visibilityState === "visible") show(await findings());
  timer = window.setTimeout(look, LOOK_EVERY_MS);
}

/** @returns {Promise<{ kind: string, picture: number | null, lines: { move: string, text: string }[] }>} */
async function findings() {
  try {
    const { good, picture, advice, findings: found } = await get("self-test");
    if (good)
      return {
        kind: "good",
        picture,
        lines: [{ move: "", text: gettext("The camera is in a good place: it can read all tiles.") }],
      };
    const lines = advice.length > 0 ? advice : found.map(({ text }) => ({ move: "", text }));
    return { kind: "mend", picture, lines };
  } catch (error) {
    return { kind: "mend", picture: null, lines: [{ move: "", text: asRefusal(error).message }] };
  }
}

/** @param {Awaited<ReturnType<typeof findings>>} found */
function show({ kind, picture, lines }) {
  showPicture(picture);
  byId("placement").dataset.kind = kind;
  byId("placement").dataset.move = lines[0]?.move ?? "";
  const list = byId("placement-advice");
  redraw(list, lines, () =>
    fill(list, ...lines.map(({ text }) => make("li", {}, icon(kind === "good" ? "tick" : "right"), text))),
  );
}
