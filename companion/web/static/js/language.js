// Translation in the style of GNU gettext. Values are in braces, so that a translation can reorder them:
// gettext("{name} begins", { name: "Ada" }).

/** @typedef {Record<string, string | number>} Values */

export const LANGUAGE = document.documentElement.lang || "en";
/** The language with the region of the browser: `en-GB` writes other dates and times than `en-US`. */
export const LOCALE = navigator.languages.find((one) => one.split("-")[0] === LANGUAGE) ?? LANGUAGE;
const plurals = new Intl.PluralRules(LANGUAGE);
const numbers = new Intl.NumberFormat(LANGUAGE, { useGrouping: false });

/**
 * Translates a sentence into the language of the page.
 * @param {string} message in English
 * @param {Values} [values] by their names in braces
 */
export const gettext = (message, values) => complete(translated(message)[0] ?? message, values);

/**
 * Translates a sentence with a number, {count}, in the right plural form.
 * @param {string} singular
 * @param {string} plural
 * @param {number} count
 * @param {Values} [values]
 */
export function ngettext(singular, plural, count, values) {
  const [one = singular, other = plural] = translated(singular);
  return complete(plurals.select(count) === "one" ? one : other, { count, ...values });
}

/**
 * Translates a sentence that has several meanings.
 * @param {string} context explains the meaning to translators
 * @param {string} message
 * @param {Values} [values]
 */
export const pgettext = (context, message, values) =>
  complete(translated(`${context}\u0004${message}`)[0] ?? message, values);

/**
 * Marks a sentence in a table for translation; it is translated later with `gettext`.
 * @param {string} message
 */
export const gettext_noop = (message) => message;

/**
 * Returns the parts of a translated sentence with drawings among its values.
 * @param {string} text a translated sentence, with the names of drawings in braces
 * @param {Record<string, Child | Child[]>} drawings
 * @returns {Child[]}
 */
export const composed = (text, drawings) =>
  text.split(/\{(\w+)\}/).flatMap((part, at) => (at % 2 ? (drawings[part] ?? `{${part}}`) : part));

/**
 * Formats a number for the language.
 * @param {number} value
 */
export const number = (value) => numbers.format(value);

/**
 * @param {string} key
 * @returns {string[]}
 */
function translated(key) {
  const entry = typeof catalogue === "undefined" ? undefined : catalogue[key];
  return typeof entry === "string" ? [entry] : (entry ?? []);
}

/**
 * @param {string} text
 * @param {Values} [values] unknown names stay in braces
 */
const complete = (text, values) =>
  values ? text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole)) : text;
