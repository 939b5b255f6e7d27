import type { DeliveryState, Lane } from '../../push.ts';
import type { SettleArgs, Verdict } from '../calls.ts';
import type { ClaimedBatch, Part } from './batches.ts';

export type QueueVerdict = Verdict | { readonly state: 'withdrawn'; readonly reason: string };

/** A verdict on a target of an event. */
export interface Line {
  readonly deviceId: number;
  readonly verdict: QueueVerdict;
  readonly fitted: boolean;
  readonly linksLost: boolean;
}

export interface ClaimedLine<P extends Part> extends Line {
  readonly index: number;
  readonly part: P;
}

/** Dead devices of one call: up to eight subscriptions of each follow at once, and the others leave a job. */
const MOST_GONE = 10;

/** Returns lines of a claim's unsettled targets, for one call. `hasMore`: those of further dead devices wait. */
export function linesOf<P extends Part>(
  batch: ClaimedBatch<P>,
  verdicts: SettleArgs['verdicts'],
): { readonly lines: readonly ClaimedLine<P>[]; readonly hasMore: boolean } {
  let gone = 0;
  const open = verdicts.flatMap(({ index, verdict, fitted, linksLost }) => {
    const part = batch.openPart[index];
    const deviceId = batch.deviceIds[index];
    if (!part || deviceId === undefined) return [];
    return [{ index, part, deviceId, verdict: dated(verdict, part), fitted, linksLost }];
  });
  const lines = open.filter(({ verdict }) => verdict.state !== 'unregistered' || ++gone <= MOST_GONE);
  return { lines, hasMore: lines.length < open.length };
}

/** Dates a verdict without a time by the claim, so devices registered since stay active. */
export function dated<V extends QueueVerdict>(verdict: V, { claimedAtMs }: Part): V {
  return verdict.state === 'unregistered' ? { ...verdict, atMs: verdict.atMs ?? claimedAtMs } : verdict;
}

/** A push that ends unsent. */
export function unsentLine(deviceId: number, verdict: QueueVerdict): Line {
  return { deviceId, verdict, fitted: false, linksLost: false };
}

/** A verdict's change of a delivery. */
export interface DeliveryChange {
  readonly state: DeliveryState;
  readonly lane: Lane;
  /** Whether the attempt counts. */
  readonly spent: 0 | 1;
  readonly reason: string | null;
  /** null: final. */
  readonly retryInMs: number | null;
  readonly keptS: number | null;
}

export function deliveryChange(verdict: QueueVerdict, lane: Lane): DeliveryChange {
  const { state } = verdict;
  return {
    state: state === 'held' ? 'pending' : state,
    lane: state === 'held' ? 'quarantine' : lane,
    spent: isSent(verdict) ? 1 : 0,
    reason: state === 'accepted' ? null : verdict.reason,
    retryInMs: 'retryInMs' in verdict ? verdict.retryInMs : null,
    keptS: state === 'accepted' ? (verdict.keptS ?? null) : null,
  };
}

/** Expired and withdrawn pushes end without another attempt; unspent ones came back from a paused route. */
function isSent(verdict: QueueVerdict): boolean {
  if ('spent' in verdict) return verdict.spent;
  return verdict.state !== 'expired' && verdict.state !== 'withdrawn';
}

/** A verdict's evidence on a device, if the device still has this token. */
export interface Learned {
  /** The device is trusted, quarantined, or dead. */
  readonly state: 'accepted' | 'held' | 'unregistered';
  readonly token: string;
  readonly reason: string | null;
  /** The time of a device's end; null: now. */
  readonly atMs: number | null;
}

export function learnedOf(verdict: QueueVerdict): Learned | null {
  const { state } = verdict;
  if (state === 'accepted' && verdict.token !== undefined) {
    return { state, token: verdict.token, reason: null, atMs: null };
  }
  if (state === 'unregistered' || (state === 'held' && verdict.spent)) {
    const { token, reason } = verdict;
    return { state, token, reason, atMs: state === 'unregistered' ? verdict.atMs : null };
  }
  return null;
}

/** Whether the device should report showing the push. */
export function isAwaited(verdict: QueueVerdict): boolean {
  return verdict.state === 'accepted' && verdict.isAwaited === true;
}
