// Points and outlines in the picture's own pixels.

/** @param {Point[]} points */
export const mean = (points) => [
  points.reduce((sum, [x]) => sum + x, 0) / points.length,
  points.reduce((sum, [, y]) => sum + y, 0) / points.length,
];

/**
 * @param {Point} from
 * @param {Point} to
 * @param {number} part 0 is at `from`, 1 at `to`
 */
export const between = ([ax, ay], [bx, by], part) => [ax + (bx - ax) * part, ay + (by - ay) * part];

/**
 * @param {Point} from
 * @param {Point} to
 */
export const distance = ([ax, ay], [bx, by]) => Math.hypot(bx - ax, by - ay);

/**
 * The `points` of an SVG polygon.
 * @param {Point[]} points
 */
export const path = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

/**
 * The outline of a row of tiles: along their upper sides, and back along their lower ones.
 * A tile that stands on its head is turned first, or the outline would cross itself.
 * @param {Quad[]} quads
 * @returns {Point[]}
 */
export function rowOutline(quads) {
  const [fromX, fromY] = mean(quads[0]);
  const [toX, toY] = quads.length > 1 ? mean(quads[quads.length - 1]) : quads[0][1];
  const upright = quads.map((quad) => {
    const [[ax, ay], [bx, by]] = quad;
    const along = (bx - ax) * (toX - fromX) + (by - ay) * (toY - fromY);
    return along < 0 && quads.length > 1 ? [quad[2], quad[3], quad[0], quad[1]] : quad;
  });
  const above = upright.flatMap((quad) => quad.slice(0, 2));
  const below = upright.flatMap(([, , bottomRight, bottomLeft]) => [bottomLeft, bottomRight]).reverse();
  return [...above, ...below];
}
