// The live check: the newest picture of the camera with the outline of the play area, or of the table that is found.

import { get } from "../api.js";
import { byId, make } from "../dom.js";
import { path } from "../geometry.js";

/** @param {number | null} picture the number of the picture that was tested; null if there is none */
export async function drawLive(picture) {
  byId("live-picture").hidden = picture === null;
  if (picture === null) return;
  const sources = await get("sources").catch(() => null);
  if (!sources) return;
  const seesAll = sources.host && !sources.racks;
  const image = byId("live-image", HTMLImageElement);
  const address = seesAll ? `/api/whole.jpg?t=${Date.now()}` : `/picture/${picture}.jpg?t=${Date.now()}`;
  const newest = make("img", { id: image.id, src: address, alt: image.alt });
  try {
    await newest.decode();
    image.replaceWith(newest);
  } catch {
    // A camera that has just stopped has no picture: the last one stays, and no sign of a broken one appears.
  }
  const corners = sources.play_area ?? (seesAll ? await foundArea() : null);
  byId("live-outline").setAttribute("points", path(corners ?? []));
}

async function foundArea() {
  const { corners } = await get("play-area/found").catch(() => ({ corners: null }));
  return corners;
}
