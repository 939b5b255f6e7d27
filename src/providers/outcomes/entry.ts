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

/** Our own reason why a push ended or is held. */
export interface QueueReason {
  readonly outcome: { readonly kind: 'expired' | 'withdrawn' | 'unregistered' | 'held' };
  readonly means: string;
  readonly remedy: string;
}

/** The device's app is not configured. */
export const APP_NOT_CONFIGURED = 'app_not_configured';

const NOTHING = 'Nothing to do.';

export const QUEUE_REASONS: Readonly<Record<string, QueueReason>> = {
  ttl: {
    outcome: { kind: 'expired' },
    means: 'The push could not be sent within the time to live of its event ([delivery] ttl). It is not sent late.',
    remedy: 'To see what delayed it, check its earlier attempts, and look in the log for a pause of its route.',
  },
  gone: withdrawn(
    'The device was unsubscribed, removed or deactivated after the event was accepted and before its push was sent.',
    'Nothing to do. `pushctl event show <id> --email <email>` shows the results of the devices of one member.',
  ),
  device_removed: withdrawn('The device was removed, or moved to another user, while its push waited.'),
  unsubscribed: withdrawn(
    'The device left the channel, or its user left the workspace, while its push waited. A device that returns gets nothing that was posted before.',
  ),
  muted: withdrawn(
    'The user of the device muted the channel, or events of this level, on it.',
    'Nothing to do. `pushctl device list` shows what is muted.',
  ),
  own_act: withdrawn('The event reports what the user of the device did themselves, so their devices are left out.'),
  inactive: {
    outcome: { kind: 'unregistered' },
    means: 'While this push waited, another push showed that the device is no longer registered.',
    remedy: 'Nothing to do: the device gets pushes again once its app registers again.',
  },
  cancelled: withdrawn(
    'The event was cancelled (`pushctl event cancel`) before the push was sent.',
    'Nothing to do. `pushctl event resend --all` posts the event again.',
  ),
  quarantine: {
    outcome: { kind: 'held' },
    means:
      'The provider refused an earlier push to the device. Either the device is dead, or the configured environment, topic or project is wrong.',
    remedy:
      'This is decided when a push to another device is accepted. Until then, check the configuration with `pushctl doctor`. If it is right, deactivate such devices with `pushctl device prune`.',
  },
  [APP_NOT_CONFIGURED]: {
    outcome: { kind: 'held' },
    means:
      'The device is registered for an app that is neither apns.topic nor in apns.topics, so nothing is sent to it.',
    remedy:
      'Add the bundle ID that the device names (`pushctl device list`) to apns.topics and restart: waiting pushes are sent within minutes. If the app is retired, deactivate its devices with `pushctl device prune`.',
  },
  restored: withdrawn(
    'The push was waiting when the restored backup was made. Most pushes that waited then have been sent since.',
    'To send waiting pushes anyway, restore with `pushctl restore --resend`.',
  ),
};

function withdrawn(means: string, remedy = NOTHING): QueueReason {
  return { outcome: { kind: 'withdrawn' }, means, remedy };
}
