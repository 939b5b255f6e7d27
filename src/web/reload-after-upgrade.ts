/** When a page was last loaded again for this, so that a server that is really without the file ends no one in a circle. */
const KEPT_AS = 'reloaded-at';
const AT_MOST_EACH_MS = 60_000;

/**
 * A tab that was open during an upgrade may ask for a part that is gone, in the cache as well: loading the page anew
 * brings the new one. Vite tells of parts that could not be had.
 */
export function reloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', (event) => {
    const lastMs = Number(sessionStorage.getItem(KEPT_AS) ?? 0);
    if (Date.now() - lastMs < AT_MOST_EACH_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEPT_AS, String(Date.now()));
    location.reload();
  });
}
