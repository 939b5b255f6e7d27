import type { Answer } from '../api/problem.ts';
import type { KeptTap } from '../messages.ts';
import { Shared } from '../shared.ts';

/** Older taps expire: users may have acted elsewhere or changed their mind. */
const LIFE_MS = 3_600_000;

/** The used part of a cache. */
type Taps = Pick<Cache, 'delete'> & {
  keys(): Promise<readonly { readonly url: string }[]>;
  match(url: string): Promise<Response | undefined>;
};

/**
 * Sends notification taps not taken by the server. Returns the alert of one failing again; null: none. Those are
 * retried until their alert is gone.
 */
export async function retryTaps(
  taps: Taps,
  acknowledge: (alert: string, how: { readonly all: boolean }) => Promise<Answer<unknown>>,
  nowMs: number,
): Promise<string | null> {
  let failed: string | null = null;
  for (const { url } of await taps.keys()) {
    const kept = (await (await taps.match(url))?.json()) as KeptTap | undefined;
    const alert = new URL(url).pathname.split('/').at(-1);
    if (kept === undefined || alert === undefined) continue;
    const isOld = nowMs - kept.atMs > LIFE_MS;
    const answer = isOld ? null : await acknowledge(alert, { all: kept.all });
    if (answer === null || answer.ok || answer.problem.kind === 'missing') await taps.delete(url);
    else failed = alert;
  }
  return failed;
}

/** The alert that a notification's tap failed to acknowledge, not acknowledged by this app since; null: none. */
export const failedTap = new Shared<string | null>(null);
