// What the verdict points to in the picture that is on the page now.
export function marksOf(state, lit) {
  const marks = { melds: new Set(), tiles: new Set(), asked: new Set(), moving: new Map(), gone: [], lit: lit.meld };
  const { verdict, reading, evening } = state;
  if (!reading) return marks;
  const numbered = (moves) =>
    moves.forEach((move, index) => move.from_tile !== null && marks.moving.set(move.from_tile, index + 1));
  if (evening?.failing) {
    numbered(evening.failing.moves);
    return marks;
  }
  if (!verdict?.current) return marks;
  if (verdict.fix) numbered(verdict.fix.moves);
  const faults =
    lit.fault === null
      ? verdict.faults
      : verdict.faults.filter((fault) => fault.text === lit.fault || fault.code === lit.code);
  for (const fault of faults) {
    fault.melds.forEach((meld) => marks.melds.add(meld));
    // Where all tiles of a meld are meant, its outline says so; a tile is marked where it is that one and no other.
    const others = fault.melds.flatMap((meld) => reading.melds[meld]).some((tile) => !fault.tiles.includes(tile));
    if (others) fault.tiles.forEach((tile) => marks.tiles.add(tile));
    marks.gone.push(...fault.gone);
  }
  verdict.questions.forEach((question) => marks.asked.add(question.tile));
  verdict.groupings.forEach(({ choices }) => choices[0].rows.flat().forEach((tile) => marks.asked.add(tile)));
  return marks;
}
