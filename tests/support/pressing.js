// What can't be pressed on a page as it is; see pressing.py.
({ least, letters, still }) => {
  const faults = [];
  const dialog = document.querySelector("dialog[open]");
  // While a verdict fills the screen a tap anywhere sends it away.
  const root = dialog ?? document.querySelector("#splash:not([hidden])") ?? document.body;
  const name = (one) => `${one.id || one.className || one.tagName} “${(one.innerText || one.ariaLabel || one.title || "")
    .trim().replace(/\s+/g, " ").slice(0, 30)}”`;
  const shown = (one) => {
    const { width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return width > 2 && height > 2 && style.pointerEvents !== "none" && one.checkVisibility({ visibilityProperty: true });
  };
  // Those that are hidden behind their label are pressed by it.
  const pressed = "button, a[href], summary, select, input:not([type=radio], [type=hidden], [type=file]), label.segment";
  const targets = [...root.querySelectorAll(pressed)].filter(shown);
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowY + getComputedStyle(one).overflowX);
  const holder = (one) => {
    for (let up = one.parentElement; up; up = up.parentElement) if (scrolls(up)) return up;
    return null;
  };
  const [wide, high] = [innerWidth, innerHeight];
  const fixed = (one) => {
    for (let up = one; up; up = up.parentElement) if (/fixed|sticky/.test(getComputedStyle(up).position)) return up;
    return null;
  };
  // Nothing scrolls to the side, but a score sheet of many players.
  for (const one of root.querySelectorAll("*")) {
    const aside = one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX);
    if (aside && shown(one) && !one.matches(".sheet-scroll")) faults.push(`${name(one)} scrolls to the side`);
  }
  // Tiles are tapped without scrolling between them.
  for (const pad of [...root.querySelectorAll(".dialog-body > .pad")].filter(shown)) {
    const [{ top, bottom }, room] = [pad.getBoundingClientRect(), pad.parentElement.getBoundingClientRect()];
    if (top < room.top - 1 || bottom > room.bottom + 1) faults.push(`${name(pad)} is not seen whole`);
  }
  // Letters that nobody can read are of no use; those of tiles and keys are printed on real tiles as well.
  const leastLetters = Math.min(wide, high) < 360 ? letters.smallest : letters.least;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const one = node.parentElement;
    if (!node.data.trim() || one.closest(".tile, .key, .brand, svg, script, style, noscript, .visually-hidden")) continue;
    const size = parseFloat(getComputedStyle(one).fontSize);
    if (size < leastLetters - 0.1 && shown(one)) faults.push(`${name(one)}: letters of ${size.toFixed(1)} px`);
  }
  for (const one of targets) {
    // What may scroll is looked at where it has come to.
    if (!still) one.scrollIntoView({ block: "center", behavior: "instant" });
    const box = one.getBoundingClientRect();
    const inScroller = !still && (holder(one) !== null || !dialog);
    if (Math.min(box.width, box.height) < least - 0.5)
      faults.push(`${name(one)} is ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
    if (box.left < -1 || box.right > wide + 1) faults.push(`${name(one)} reaches beyond the side of the screen`);
    if (!inScroller && (box.top < -1 || box.bottom > high + 1)) faults.push(`${name(one)} is cut at the screen's edge`);
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible" && one.tagName !== "INPUT")
      faults.push(`${name(one)}: its text is cut`);
    // Parts of a time are as high as their font, not as their line; the time itself is looked at.
    for (const part of one.querySelectorAll("span:not(.tile, .minutes, .seconds), b, small")) {
      const inner = part.getBoundingClientRect();
      if (inner.width > 1 && getComputedStyle(part).position !== "absolute" && part.closest(".tile") === null
          && (inner.right > box.right + 1 || inner.left < box.left - 1 || inner.bottom > box.bottom + 1 || inner.top < box.top - 1))
        faults.push(`${name(one)}: “${part.innerText}” reaches out of it`);
    }
    const middle = [box.left + box.width / 2, box.top + box.height / 2];
    if (middle[0] < 0 || middle[1] < 0 || middle[0] >= wide || middle[1] >= high) continue;
    const hit = document.elementFromPoint(...middle);
    const mine = hit && (one.contains(hit) || hit.contains(one) && hit.matches("label") || hit.closest("label")?.contains(one));
    if (!mine) faults.push(`${name(one)} is covered by ${hit ? name(hit) : "nothing"}`);
  }
  const all = targets.map((one) => ({ one, box: one.getBoundingClientRect(), under: [holder(one), fixed(one)] }));
  all.forEach(({ one, box: a, under }, place) => all.slice(place + 1).forEach(({ one: other, box: b, under: its }) => {
    const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (x <= 1.5 || y <= 1.5 || one.contains(other) || other.contains(one)) return;
    // Its button lies on the surface that is touched anywhere.
    if (one.matches(".touch-done") && other.matches(".touch-leave")) return;
    // What scrolls comes out from under what does not.
    if (!still && (under[0] !== its[0] || under[1] !== its[1])) return;
    faults.push(`${name(one)} and ${name(other)} lie over each other`);
  }));
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > wide + 1) faults.push(`the page is ${scrollWidth} wide`);
  if (still && scrollHeight > high + 1) faults.push(`the page is ${scrollHeight} high`);
  if (still) for (const one of document.querySelectorAll("body, body *")) {
    if (!one.checkVisibility({ visibilityProperty: true }) || !scrolls(one)) continue;
    if (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1) faults.push(`${name(one)} scrolls`);
  }
  return faults;
}
