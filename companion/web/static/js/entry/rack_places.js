// Places on a scanned rack: which tile stands at a point of the photo, and between which tiles a point lies.

import { distance, mean } from "../geometry.js";

/**
 * A tile on a rack. `shot` is the number of the photo in which it stands: at the corners `quad` if it was read there,
 * or at the point `at` if a person put it there. `row` and `place` are those of the scan.
 * @typedef {Tile & { doubtful?: boolean, runner_up_label?: string, label?: string, shot?: number, quad?: Quad,
 *   at?: Point, row?: number | null, place?: number | null }} RackTile
 */

/** @typedef {import("./rows.js").Place} Place */

// A point farther from each row than this share of a tile's height stands in a new row.
const ROW_REACH_HEIGHTS = 0.6;

/** @param {RackTile} tile */
export const centreOf = ({ quad, at }) => (quad ? mean(quad) : (at ?? null));

/**
 * Returns the place of a point among the tiles of a photo.
 * @param {RackTile[][]} rows
 * @param {number} shot the photo
 * @param {Point} at
 * @returns {Place}
 */
export function placeAt(rows, shot, at) {
  const quads = rows.flat().flatMap(({ quad, shot: of }) => (quad && of === shot ? [quad] : []));
  if (quads.length === 0) return { row: 0, place: rows[0]?.length ?? 0 };
  const [rightX, rightY] = directionOf(quads);
  /** @param {Point} point */
  const across = ([x, y]) => x * rightX + y * rightY;
  /** @param {Point} point */
  const depth = ([x, y]) => y * rightX - x * rightY;
  const heights = quads.map((quad) => distance(quad[0], quad[3])).sort((one, other) => one - other);
  const reach = ROW_REACH_HEIGHTS * heights[Math.floor(heights.length / 2)];

  const found = rows.map((row, index) => {
    const points = row.flatMap((tile, place) => {
      const point = tile.shot === shot ? centreOf(tile) : null;
      return point ? [{ place, across: across(point), depth: depth(point) }] : [];
    });
    // A photo from the side tilts a row, so the nearest tile says how far away the row is.
    const nearest = points.toSorted(
      (one, other) => Math.abs(one.across - across(at)) - Math.abs(other.across - across(at)),
    )[0];
    const next = points.find((point) => point.across > across(at));
    return { row: index, place: next?.place ?? row.length, below: nearest ? depth(at) - nearest.depth : Infinity };
  });
  const nearest = found.reduce((best, one) => (Math.abs(one.below) < Math.abs(best.below) ? one : best));
  if (Math.abs(nearest.below) <= reach) return { row: nearest.row, place: nearest.place };
  return { row: nearest.row + (nearest.below > 0 ? 1 : 0), place: 0, isNewRow: true };
}

/**
 * The direction from left to right of most tiles, as a unit vector.
 * @param {Quad[]} quads
 * @returns {Point}
 */
function directionOf(quads) {
  const sides = quads.map(([[ax, ay], [bx, by]]) => [bx - ax, by - ay]);
  const [x, y] = mean(sides);
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}
