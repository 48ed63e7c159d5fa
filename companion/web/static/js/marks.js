// What the verdict points to in the picture that is on the page now.
export function marksOf(state, lit) {
  const marks = { melds: new Set(), tiles: new Set(), asked: new Set(), moving: new Map(), gone: [], lit: lit.meld };
  const { verdict, reading, evening } = state;
  if (!reading) return marks;
  const numbered = (moves) => {
    for (const [index, move] of moves.entries())
      if (move.from_tile !== null) marks.moving.set(move.from_tile, index + 1);
  };
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
    for (const meld of fault.melds) marks.melds.add(meld);
    // Where all tiles of a meld are meant, its outline says so; a tile is marked where it is that one and no other.
    const others = fault.melds.flatMap((meld) => reading.melds[meld]).some((tile) => !fault.tiles.includes(tile));
    if (others) for (const tile of fault.tiles) marks.tiles.add(tile);
    marks.gone.push(...fault.gone);
  }
  for (const question of verdict.questions) marks.asked.add(question.tile);
  for (const { choices } of verdict.groupings) for (const tile of choices[0].rows.flat()) marks.asked.add(tile);
  return marks;
}
