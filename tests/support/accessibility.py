"""Checks a page with axe-core for WCAG 2.2 AA and its best practices; each finding is a line."""

AXE = "companion/web/tooling/node_modules/axe-core/axe.min.js"
TAGS = [*(f"wcag{version}{level}" for version in ("2", "21", "22") for level in ("a", "aa")), "best-practice"]

LOOK = """async (tags) => {
  const rules = { "label-content-name-mismatch": { enabled: true } };
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("axe-core does not end")), 30000));
  // Nobody reads what it says of all that is well, nor where each element lies.
  const options = { runOnly: tags, rules, preload: false, resultTypes: ["violations"], selectors: false };
  const { violations } = await Promise.race([axe.run(document, options), late]);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}"""
