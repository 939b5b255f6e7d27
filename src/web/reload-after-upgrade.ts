const ANSWER_MS = 5_000;

/**
 * Reloads after a server upgrade: an old tab may need a vanished part, gone from the cache, too. Without an answer,
 * does nothing: the network is down, or a reload would undo the user's leaving.
 */
export async function reloadAfterUpgrade(): Promise<void> {
  if (await isOutdated()) location.reload();
}

/** Tells whether the server has another build than this page; false without an answer. */
export async function isOutdated(): Promise<boolean> {
  const ours = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  try {
    const page = await fetch('', { signal: AbortSignal.timeout(ANSWER_MS) });
    return page.ok && !(await page.text()).includes(ours);
  } catch {
    return false;
  }
}
