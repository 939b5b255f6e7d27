import type { Outcome } from '../../push.ts';

/** A table's outcome, lacking what each answer adds (reason, times). */
export type TableOutcome =
  | { readonly kind: 'accepted' | 'rejected' | 'unauthorized' | 'recalled' }
  | { readonly kind: 'unregistered'; readonly quarantine?: true }
  | { readonly kind: 'deferred'; readonly pace: 'fault' | 'busy' }
  | { readonly kind: 'unavailable'; readonly retryAfterS?: number };

/** A kind of answer. `means` and `remedy`: sentences for the operator. */
export interface Entry {
  /** Its HTTP status; null without an answer. */
  readonly status: number | null;
  /** A second status of the reason. */
  readonly otherStatus?: number;
  readonly outcome: TableOutcome;
  readonly means: string;
  readonly remedy: string;
}

/** A provider's documented answers, and others by status. */
export interface OutcomeTable {
  readonly entries: Readonly<Record<string, Entry>>;
  /** Outcomes of unusual statuses: see `byStatus` in ../outcomes.ts. */
  readonly byStatus?: Readonly<Record<number, TableOutcome>>;
}

export const REJECTED = { kind: 'rejected' } as const;
export const UNAUTHORIZED = { kind: 'unauthorized' } as const;
export const DEAD = { kind: 'unregistered' } as const;
/** The fault may be ours, so the quarantine decides. */
export const PERHAPS_DEAD = { kind: 'unregistered', quarantine: true } as const;
export const BUSY = { kind: 'deferred', pace: 'busy' } as const;
export const FAULT = { kind: 'deferred', pace: 'fault' } as const;
export const RECALLED = { kind: 'recalled' } as const;
export const UNAVAILABLE = { kind: 'unavailable' } as const;

export const OUR_BUG = 'This is a bug of pushctl: please report it. The device is kept.';
export const WAIT = 'Nothing to do: the server retries with growing pauses until the event expires.';
export const NO_TOUCH = 'Nothing to do: the device gets pushes again once its app registers again.';

const QUEUE_WAITS = 'Nothing is lost: the queue waits, and single pushes probe whether the provider works again.';

export function ourBug(status: number, means: string): Entry {
  return { status, outcome: REJECTED, means, remedy: OUR_BUG };
}

export function busy(status: number, means: string): Entry {
  return { status, outcome: BUSY, means, remedy: WAIT };
}

/** Makes an entry that stops all pushes until the configuration is fixed. */
export function misconfigured(status: number, means: string, remedy: string): Entry {
  return { status, outcome: UNAUTHORIZED, means, remedy: waiting(remedy) };
}

export function waiting(remedy: string): string {
  return `${remedy} ${QUEUE_WAITS}`;
}

export function withReason(
  outcome: TableOutcome,
  reason: string,
  detail: { readonly atMs?: number; readonly retryAfterS?: number } = {},
): Outcome {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted' };
    case 'rejected':
    case 'unauthorized':
    case 'recalled':
      return { kind: outcome.kind, reason };
    case 'unregistered':
      return { ...outcome, reason, ...(detail.atMs !== undefined && { atMs: detail.atMs }) };
    case 'deferred':
    case 'unavailable':
      return { ...outcome, reason, ...(detail.retryAfterS !== undefined && { retryAfterS: detail.retryAfterS }) };
  }
}
