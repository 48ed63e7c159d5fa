// Makes elements without markup in strings: what was read is data, never HTML.
const SVG = "http://www.w3.org/2000/svg";

export const at = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter(there));
  return element;
}

const there = (child) => child !== null && child !== undefined && child !== false;

// Puts other children into an element; what is null or false is left out.
export function fill(element, ...children) {
  element.replaceChildren(...children.filter(there));
}

export function icon(name) {
  return draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("use", { href: `#icon-${name}` }));
}
