import { failedTap } from '../alerts/failed-tap.ts';
import { retryTaps } from '../alerts/kept-taps.ts';
import { acknowledge } from '../api/alerts.ts';
import { connection } from '../api/connection.ts';
import { browserNow } from '../clock.ts';
import { KEPT_TAPS } from '../messages.ts';
import { session } from '../session.ts';

let isTrying = false;

/** Repeats ineffective notification taps when the app opens, comes to the front, or reconnects. */
export function retryKeptTaps(): void {
  session.state.listen(retry);
  connection.restored.listen(retry);
  document.addEventListener('visibilitychange', retry);
  // The worker opens an alert's page after an ineffective tap.
  globalThis.navigator.serviceWorker?.addEventListener('message', retry);
  void retry();
}

async function retry(): Promise<void> {
  if (session.state.value.kind !== 'in') {
    failedTap.value = null;
    return;
  }
  if (document.hidden || isTrying) return;
  isTrying = true;
  try {
    if (await globalThis.caches?.has(KEPT_TAPS))
      failedTap.value = await retryTaps(await caches.open(KEPT_TAPS), acknowledge, browserNow());
  } catch {
    // Without caches, there are no taps.
  } finally {
    isTrying = false;
  }
}
