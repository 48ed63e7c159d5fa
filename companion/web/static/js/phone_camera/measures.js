// Measures of a video frame: its light and its sharpness.

/** @type {[number, number]} */
const CELLS_WH = [32, 24];
const GAMMA = 2.2;
const DARKEST_LEVEL = 6;
// The middle of the frame, in its own pixels, shows the sharpness of tiles.
/** @type {[number, number]} */
const MIDDLE_WH = [640, 480];

/**
 * The light of a frame.
 * @typedef {object} Light
 * @property {(before: Light) => number} changeSince the larger change of brightness and of colour, in stops
 * @property {Float32Array[]} stops log2 of the linear red, green and blue of each cell
 */

const small = canvas(...CELLS_WH);
const middle = canvas(...MIDDLE_WH);

/**
 * @param {number} width
 * @param {number} height
 */
function canvas(width, height) {
  const element = Object.assign(document.createElement("canvas"), { width, height });
  return /** @type {CanvasRenderingContext2D} */ (element.getContext("2d", { alpha: false, willReadFrequently: true }));
}

/** @param {ArrayLike<number>} values */
const median = (values) => Float32Array.from(values).sort()[values.length >> 1];

/**
 * @param {HTMLVideoElement} video
 * @returns {Light}
 */
export function measureLight(video) {
  const [width, height] = CELLS_WH;
  small.drawImage(video, 0, 0, width, height);
  const { data } = small.getImageData(0, 0, width, height);
  const stops = [0, 1, 2].map((channel) =>
    Float32Array.from(
      { length: width * height },
      (_, cell) => GAMMA * Math.log2(Math.max(DARKEST_LEVEL, data[4 * cell + channel])),
    ),
  );
  return { stops, changeSince: (before) => change(stops, before.stops) };
}

/**
 * A median over the cells ignores a hand, which covers fewer than half of them.
 * @param {Float32Array[]} now
 * @param {Float32Array[]} before
 */
function change(now, before) {
  const [red, green, blue] = now.map((stops, channel) => stops.map((value, cell) => value - before[channel][cell]));
  const redness = median(red.map((value, cell) => value - green[cell]));
  const blueness = median(blue.map((value, cell) => value - green[cell]));
  return Math.max(...[median(green), redness, blueness].map(Math.abs));
}

/**
 * The mean square of the Laplacian of the middle of a frame; more is sharper.
 * @param {HTMLVideoElement} video
 */
export function measureSharpness(video) {
  const width = Math.min(MIDDLE_WH[0], video.videoWidth);
  const height = Math.min(MIDDLE_WH[1], video.videoHeight);
  const [left, top] = [(video.videoWidth - width) / 2, (video.videoHeight - height) / 2];
  middle.drawImage(video, left, top, width, height, 0, 0, width, height);
  const { data } = middle.getImageData(0, 0, width, height);
  const row = 4 * width;
  let sum = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let at = y * row + 5; at < (y + 1) * row - 4; at += 4) {
      const laplacian = data[at - row] + data[at + row] + data[at - 4] + data[at + 4] - 4 * data[at];
      sum += laplacian * laplacian;
    }
  }
  return sum / (width * height);
}
