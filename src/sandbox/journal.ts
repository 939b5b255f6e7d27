import type { Route } from '../push.ts';
import type { EndpointName } from './names.ts';

/** An accepted push, as received. */
export interface Push {
  /** Counts from 1 without gaps, over all endpoints. */
  readonly number: number;
  readonly endpoint: Route;
  /** The device token; FCM: or an installation ID; browser: its endpoint. */
  readonly token: string;
  /** APNs: the body. FCM: the `message`. Web Push: the decrypted body. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The payload is empty: only a browser, or nobody, can decrypt it. */
  readonly isSealed?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly receivedAtMs: number;
  /** `apns-id`, FCM's message name, or a Web Push message's last path part. */
  readonly messageId: string;
}

/** A request answered with an error or misbehaviour. `reason`: the vendor's or behaviour's name. */
interface Refused {
  readonly endpoint: EndpointName;
  readonly token: string;
  readonly reason: string;
  readonly receivedAtMs: number;
}

export interface Journal {
  /** Newest accepted pushes, oldest first; empty with `record: 'count'`. */
  readonly pushes: readonly Push[];
  /** Newest refused requests, oldest first; empty with `record: 'count'`. */
  readonly refused: readonly Refused[];
  /** Since the start, including dropped ones. */
  readonly counts: { readonly accepted: number; readonly refused: number };
  accept(push: Omit<Push, 'number'>): void;
  refuse(refused: Refused): void;
  /** Returns an unsubscribe function. */
  onPush(listener: (push: Push) => void): () => void;
  /** Returns the first matching push, past or future. Rejects after `deadlineMs`. */
  waitForPush(isWanted: (push: Push) => boolean, deadlineMs: number): Promise<Push>;
}

export function openJournal(options: { readonly record: 'all' | 'count'; readonly keep: number }): Journal {
  const pushes: Push[] = [];
  const refusals: Refused[] = [];
  const listeners = new Set<(push: Push) => void>();
  const counts = { accepted: 0, refused: 0 };

  function remember<T>(list: T[], entry: T): void {
    if (options.record === 'count') return;
    list.push(entry);
    // Dropping a quarter at once is cheaper.
    if (list.length > options.keep * 1.25) list.splice(0, list.length - options.keep);
  }

  function onPush(listener: (push: Push) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return {
    pushes,
    refused: refusals,
    counts,
    accept(arrived) {
      counts.accepted += 1;
      const push = { number: counts.accepted, ...arrived };
      remember(pushes, push);
      for (const listener of listeners) listener(push);
    },
    refuse(refused) {
      counts.refused += 1;
      remember(refusals, refused);
    },
    onPush,
    waitForPush(isWanted, deadlineMs) {
      const seen = pushes.find(isWanted);
      if (seen !== undefined) return Promise.resolve(seen);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          unsubscribe();
          reject(
            new Error(`no such push within ${deadlineMs} ms (${counts.accepted} accepted, ${counts.refused} refused)`),
          );
        }, deadlineMs);
        const unsubscribe = onPush((push) => {
          if (!isWanted(push)) return;
          clearTimeout(timer);
          unsubscribe();
          resolve(push);
        });
      });
    },
  };
}
