// Makes elements without HTML strings, so that data can never become markup.
const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns the element with an id, as an element of type `kind`.
 * @template {Element} [E=HTMLElement]
 * @param {string} id
 * @param {new () => E} [kind]
 * @returns {E} throws if the page has no such element
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element === null || (kind && !(element instanceof kind))) throw new Error(`no such element: ${id}`);
  return /** @type {E} */ (/** @type {unknown} */ (element));
}

/** @param {string} id */
export const buttonById = (id) => byId(id, HTMLButtonElement);

/**
 * Makes an element; an attribute `on…` is a listener, `true` an attribute without a value.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  complete(element, attributes, children);
  return element;
}

/**
 * Makes an SVG element, as `make` does.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  complete(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function complete(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter(isShown));
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
const isShown = (child) => child !== null && child !== undefined && child !== false;

/**
 * Replaces the children of an element; null and false are left out.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter(isShown));
}

/** @param {string} name one of the symbols in templates/_icons.html */
export function icon(name) {
  return makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, makeSvg("use", { href: `#icon-${name}` }));
}
