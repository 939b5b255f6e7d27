const ANSWER_MS = 5_000;

/**
 * Loads the page again if the server has another build by now: a tab that was open during an upgrade may ask for a
 * part that is gone, in the worker's cache as well. Stays where none answers: there is no network, or the page is
 * being left, and a reload would take the person back.
 */
export async function reloadAfterUpgrade(): Promise<void> {
  if (await isOutdated()) location.reload();
}

/** Whether the server has another build of the app than this page; false if it does not answer. */
export async function isOutdated(): Promise<boolean> {
  const ours = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  try {
    const page = await fetch('', { signal: AbortSignal.timeout(ANSWER_MS) });
    return page.ok && !(await page.text()).includes(ours);
  } catch {
    return false;
  }
}
