const ANSWER_MS = 5_000;

/**
 * Reloads the page if the server now has another build: a tab that was open during an upgrade may need a part that is
 * gone, even from the worker's cache. Does nothing if the server does not answer: the network is down, or the page is
 * being left and a reload would take the person back.
 */
export async function reloadAfterUpgrade(): Promise<void> {
  if (await isOutdated()) location.reload();
}

/** Tells whether the server has another build of the app than this page; false if the server does not answer. */
export async function isOutdated(): Promise<boolean> {
  const ours = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  try {
    const page = await fetch('', { signal: AbortSignal.timeout(ANSWER_MS) });
    return page.ok && !(await page.text()).includes(ours);
  } catch {
    return false;
  }
}
