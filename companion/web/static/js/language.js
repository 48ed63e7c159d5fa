// Sentences in the language of the page, marked as with GNU gettext. Their values stand in braces, so that a
// translation may put them in another order: gettext("{name} begins", { name: "Ada" }).

/** @typedef {Record<string, string | number>} Values */

export const LANGUAGE = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(LANGUAGE);
const numbers = new Intl.NumberFormat(LANGUAGE, { useGrouping: false });

/**
 * A sentence in the language of the page.
 * @param {string} message in English
 * @param {Values} [values] by the names that stand in braces
 */
export const gettext = (message, values) => complete(translated(message)[0] ?? message, values);

/**
 * A sentence with a number, which stands for {count}, in the form that the language has for that number.
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
 * A sentence that means another thing elsewhere.
 * @param {string} context tells translators which one this is
 * @param {string} message
 * @param {Values} [values]
 */
export const pgettext = (context, message, values) =>
  complete(translated(`${context}\u0004${message}`)[0] ?? message, values);

/**
 * Marks a sentence that is kept in a table, as it is; whoever takes it out hands it to gettext.
 * @param {string} message
 */
export const gettext_noop = (message) => message;

/**
 * A sentence of which some values are drawn: its text and the drawings, in the order of the language.
 * @param {string} text one that still has the names of drawings in braces
 * @param {Record<string, Child | Child[]>} drawings
 * @returns {Child[]}
 */
export const composed = (text, drawings) =>
  text.split(/\{(\w+)\}/).flatMap((part, at) => (at % 2 ? (drawings[part] ?? `{${part}}`) : part));

/**
 * A number as the language writes it.
 * @param {number} value
 */
export const number = (value) => numbers.format(value);

/**
 * @param {string} key
 * @returns {string[]}
 */
function translated(key) {
  const found = typeof catalogue === "undefined" ? undefined : catalogue[key];
  return typeof found === "string" ? [found] : (found ?? []);
}

/**
 * @param {string} text
 * @param {Values} [values] what is not among them stays as it is
 */
const complete = (text, values) =>
  values ? text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole)) : text;
