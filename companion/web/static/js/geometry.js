// Geometry of points and outlines, in pixels of the picture.

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
 * Returns an outline offset outwards by `by` pixels; corners are in order, clockwise or not.
 * @param {Point[]} outline
 * @param {number} by
 * @returns {Point[]}
 */
export function grown(outline, by) {
  const corners = outline.filter((corner, place) => distance(corner, outline[(place + 1) % outline.length]) > 1e-6);
  const area = corners.reduce((sum, [x, y], place) => {
    const [nextX, nextY] = corners[(place + 1) % corners.length];
    return sum + x * nextY - nextX * y;
  }, 0);
  const outwards = area > 0 ? 1 : -1;
  /** @param {number} place the normal of the side that begins at this corner */
  const normal = (place) => {
    const [[ax, ay], [bx, by_]] = [corners[place], corners[(place + 1) % corners.length]];
    const length = Math.hypot(bx - ax, by_ - ay);
    return [(outwards * (by_ - ay)) / length, (outwards * (ax - bx)) / length];
  };
  return corners.map(([x, y], place) => {
    const [nx, ny] = normal((place + corners.length - 1) % corners.length);
    const [mx, my] = normal(place);
    // Move along the bisector; at a sharp corner at most twice the distance.
    const scale = by / Math.max(0.5, 1 + nx * mx + ny * my);
    return [x + (nx + mx) * scale, y + (ny + my) * scale];
  });
}

/**
 * The outline of a row of tiles: along their upper sides, and back along their lower sides.
 * An upside-down tile is turned first, or the outline would cross itself.
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
