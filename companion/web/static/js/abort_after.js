// Gives up a request whose answer does not come, as `AbortSignal.timeout` does, which tablets of before 2022 lack.

/**
 * @param {number} ms
 * @returns {AbortSignal}
 */
export function abortAfter(ms) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}
