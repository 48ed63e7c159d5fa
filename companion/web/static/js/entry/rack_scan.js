// Rack scans: asks the app to read a rack from a photo or by the table camera, and keeps the photo in this browser.

import { post, upload } from "../api.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";

/**
 * A photo and what was read in it. `url` is null for a photo that this browser can't show; `area` is the part to show:
 * left, top, width and height in pixels of the scan.
 * @typedef {{ scan: Scan, url: string | null, area: number[] }} Shot
 */

const MEGABYTE = 1024 * 1024;
const LARGEST_MB = 20;
// The longest side of a stored photo: more pixels than a screen shows, and few enough for an old phone's memory.
const LONGEST_SIDE_PX = 1600;
const JPEG_QUALITY = 0.85;

/**
 * Reads a rack by the table camera; rejects with a Refusal.
 * @param {number | null} player the seat whose rack it is
 * @returns {Promise<Shot>}
 */
export async function scanTable(player) {
  const scan = await post(/** @type {"scan"} */ (addressFor(player)));
  const { picture, width, height } = scan;
  if (!picture) return { scan, url: null, area: [0, 0, width, height] };
  const [across, down] = [width / picture.width, height / picture.height];
  const [left, top, wide, high] = picture.area;
  return {
    scan,
    url: await fetchPicture(picture.number),
    area: [left * across, top * down, wide * across, high * down],
  };
}

/**
 * Reads a rack on a photo; rejects with a Refusal.
 * @param {File} photo
 * @param {number | null} player the seat whose rack it is
 * @returns {Promise<Shot>}
 */
export function scanPhoto(photo, player) {
  const form = new FormData();
  form.append("picture", photo);
  return shotOf(photo, upload(addressFor(player), form));
}

/**
 * Returns a photo with what was read in it; rejects with the refusal of the scan.
 * @param {File} photo
 * @param {Promise<Scan>} scanning
 * @returns {Promise<Shot>}
 */
export async function shotOf(photo, scanning) {
  const [scan, url] = await Promise.all([scanning, shrink(photo)]);
  return { scan, url, area: [0, 0, scan.width, scan.height] };
}

/**
 * Returns why a photo is too large to be read; empty if it is not.
 * @param {File} photo
 */
export const sizeFault = (photo) =>
  photo.size > LARGEST_MB * MEGABYTE
    ? gettext("This picture is too large: {size} MB. At most {most} fit.", {
        size: Math.round(photo.size / MEGABYTE),
        most: LARGEST_MB,
      })
    : "";

/**
 * @param {number | null} player
 * @returns {"scan" | `scan?${string}`}
 */
const addressFor = (player) => (player === null ? "scan" : `scan?player=${player}`);

/**
 * Fetches a picture of the table camera; the app keeps it for seconds only, so this page keeps a copy.
 * @param {number} number
 */
async function fetchPicture(number) {
  try {
    const response = await fetch(`/picture/${number}.jpg`);
    return response.ok ? URL.createObjectURL(await response.blob()) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the address of a smaller, upright copy of a photo; null for a format that this browser can't show.
 * @param {File} photo
 */
async function shrink(photo) {
  try {
    const bitmap = await createImageBitmap(photo);
    const scale = Math.min(1, LONGEST_SIDE_PX / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [Math.round(bitmap.width * scale), Math.round(bitmap.height * scale)];
    const canvas = make("canvas", { width, height });
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    const copy = await new Promise((done) => canvas.toBlob(done, "image/jpeg", JPEG_QUALITY));
    return copy instanceof Blob ? URL.createObjectURL(copy) : null;
  } catch {
    return null;
  }
}
