// Aborts a request after a time, like `AbortSignal.timeout`, which tablets from before 2022 lack.

/**
 * @param {number} ms
 * @returns {AbortSignal}
 */
export function abortAfter(ms) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}
