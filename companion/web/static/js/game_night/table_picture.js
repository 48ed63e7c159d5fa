// The live picture of a game night: a tap on a meld marks it, a tap on a tile corrects the tile.

import { byId } from "../dom.js";
import { highlight } from "../highlight.js";
import { gettext, ngettext } from "../language.js";
import { captionWithoutReading, drawLivePicture, forgetOverlay, wireZoom } from "../live_picture.js";
import { readingCounts, sentence } from "../words.js";
import { correctTile } from "./correct_tile.js";
import { hasState, state } from "./store.js";

export function drawPicture() {
  const now = state();
  return drawLivePicture(now, {
    blank: now.source.trouble || gettext("Waiting for the first picture"),
    caption: caption(now),
    isCurrent: () => now === state(),
    choose: (meld, tile) => (tile === null ? markMeld(meld) : correctTile(tile)),
  });
}

export function redrawPicture() {
  forgetOverlay();
  if (hasState()) drawPicture();
}

/** @param {number | null} meld */
function markMeld(meld) {
  highlight.meld = highlight.meld === meld ? null : meld;
  drawPicture();
}

export function wirePicture() {
  wireZoom(redrawPicture);
  new ResizeObserver(redrawPicture).observe(byId("frame"));
}

/** @param {State} now */
function caption(now) {
  const { reading } = now;
  const without = captionWithoutReading(now);
  if (without !== null || !reading) return without ?? "";
  if (!reading.trusted) return sentence(reading.status);
  const { found, hidden } = readingCounts(reading);
  const covered =
    hidden &&
    ngettext(
      "Something covers {count} tile. The app thinks it is where it was.",
      "Something covers {count} tiles. The app thinks they are where they were.",
      hidden,
    );
  return [`${found}.`, covered, reading.tiles.length > 0 && gettext("Tap a tile to correct it.")]
    .filter(Boolean)
    .join(" ");
}
