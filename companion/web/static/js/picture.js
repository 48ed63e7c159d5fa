// Replaces the picture by a new one once that is loaded, so that nothing flickers.
import { byId, make } from "./dom.js";

/** @type {string | null} the address of the picture on the sheet */
let shown = null;
/** @type {string | null} the address of the newest requested picture */
let wanted = null;

/**
 * Loads the picture of a state if it is a new one.
 * @param {number} number
 * @param {string} boot
 * @returns {Promise<boolean>} whether that picture, and no newer one, is on the sheet
 */
export async function showPicture(number, boot) {
  const address = `/picture/${number}.jpg?of=${boot}`;
  wanted = address;
  if (address === shown) return true;
  const image = make("img", { src: address, alt: "" });
  try {
    await image.decode();
  } catch {
    return false; // the app no longer keeps this picture; a newer state is on its way
  }
  if (wanted !== address) return false;
  removePicture();
  byId("sheet").prepend(image);
  shown = address;
  return true;
}

export function clearPicture() {
  shown = null;
  wanted = null;
  removePicture();
}

function removePicture() {
  byId("sheet").querySelector("img")?.remove();
}
