import type { Page } from 'puppeteer-core';

/** From here on timers are for time that only the test lets pass; shorter ones, as of pauses between attempts, are real. */
const LEAST_MS = 10_000;
const STOP = `(() => {
  const { setTimeout: real, clearTimeout: clear } = window;
  const waiting = new Map();
  let [now, last] = [0, 1e9];
  window.setTimeout = (act, ms = 0, ...rest) => {
    if (ms < ${LEAST_MS}) return real(act, ms, ...rest);
    last += 1;
    waiting.set(last, { atMs: now + ms, act: () => act(...rest) });
    return last;
  };
  window.clearTimeout = (id) => void (waiting.delete(id) || clear(id));
  window.pass = (ms) => {
    now += ms;
    for (const [id, { atMs, act }] of waiting) {
      if (atMs <= now && waiting.delete(id)) act();
    }
  };
})()`;

/** Stops the clock of the long timers that the page starts from now on. Answers what lets time pass for them. */
export async function stopClock(page: Page): Promise<(ms: number) => Promise<void>> {
  await page.evaluate(STOP);
  return async (ms) => void (await page.evaluate(`pass(${ms})`));
}
