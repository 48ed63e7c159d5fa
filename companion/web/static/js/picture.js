// Puts each new picture in place of the last one, once it is loaded: nothing flickers, nothing jumps.
import { make } from "./dom.js";

let shown = null;
let wanted = null;

// Loads the picture of a state if it is a new one; gives true once that picture, and no newer one, is on the sheet.
export async function showPicture(sheet, state) {
  const address = `/picture/${state.picture.number}.jpg?of=${state.boot}`;
  if (address === shown) {
    wanted = address;
    return true;
  }
  wanted = address;
  const image = make("img", { src: address, alt: "" });
  try {
    await image.decode();
  } catch {
    return false; // an old picture that is no longer kept; a newer state is on its way
  }
  if (wanted !== address) return false;
  sheet.querySelector("img")?.remove();
  sheet.prepend(image);
  shown = address;
  return true;
}

export function clearPicture(sheet, overlay) {
  shown = wanted = null;
  sheet.querySelector("img")?.remove();
  overlay.replaceChildren();
}
