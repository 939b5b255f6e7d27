import type { Logger } from 'pino';
import type { After, Clock, Lease } from '../process/clock.ts';
import type { Batch, DeviceOutcome, Sent, Target } from '../push.ts';
import { type Claim, type ClaimedEvent, type SettleArgs, type StoreClient, StoreUnavailable } from '../store/calls.ts';
import type { LinkMemory } from './link-memory.ts';
import { leftMs, type OpenClaim, type OpenClaims } from './open-claims.ts';
import { isUnspent, type RetryPolicy, retryCarefully, verdictOf } from './retry.ts';

/** The wait before settling again, after the store could not (such as on a full disk). */
const SETTLE_AGAIN_MS = 1_000;

/** The outcome of a target that the thread's result lacks. The push may have been sent, and is sent again. */
const NO_ANSWER: DeviceOutcome = { kind: 'deferred', reason: 'no answer from the delivery thread', pace: 'fault' };

const HELD: DeviceOutcome = { kind: 'held', reason: 'quarantine', isSent: false };

/** A dispatched batch's effect on the route. */
export interface Dispatch {
  readonly isHeld: (target: Target) => boolean;
  /** Judges outcomes by the route's others. */
  readonly judge: (answers: readonly Sent[]) => readonly Sent[];
  /** Called with the pushes settled. `isDone`: none of them waits again. */
  readonly settled: (pushes: number, isDone: boolean) => void;
}

/**
 * Carries out a claim: adds the links, takes out held pushes, sends, judges and settles the rest. Early outcomes do not
 * wait for the batch's slowest. Unsettled pushes stay claimed.
 */
export async function dispatch(claim: OpenClaim, deps: RelayDeps, { isHeld, judge, settled }: Dispatch): Promise<void> {
  const batch = batchOf(claim, deps);
  const linksLost = claim.events.map(({ event, hadLinks }) => hadLinks && deps.links.of(event.publicId) === undefined);
  const open = new Set(claim.targets.keys());
  const settling: Promise<void>[] = [];

  async function take(answers: readonly Sent[]): Promise<void> {
    const fresh = answers.filter(({ index }) => open.delete(index));
    if (fresh.length === 0) return;
    const judged = judge(fresh);
    deps.onSent?.(claim, judged);
    const isDone = await settle(claim, judged, linksLost, deps);
    deps.onSettled?.(claim, goneAmong(judged));
    settled(judged.length, isDone);
  }

  function begin(answers: readonly Sent[]): void {
    const taking = take(answers);
    // Handled at the end, perhaps much later.
    taking.catch(() => {});
    settling.push(taking);
  }

  begin(heldOf(claim, isHeld));
  if (open.size > 0) begin(await deps.pool.send(batch, begin));
  begin([...open].map((index) => unanswered(claim, index)));
  await Promise.all(settling);
}

export async function giveBack({ claimId }: OpenClaim, deps: RelayDeps): Promise<void> {
  await untilStored(() => deps.store.releaseBatch({ claimId }), deps);
}

function batchOf(claim: OpenClaim, { links, clock, lease, receipts }: RelayDeps): Batch {
  const { claimId, route, lane, events, targets, revoked } = claim;
  const steadyMs = clock.steadyMs();
  return {
    id: claimId,
    route,
    lane,
    events: events.map((claimed, place) => ({
      event: {
        ...claimed.event,
        links: links.of(claimed.event.publicId) ?? {},
        ...(receipts && isReceiptWanted(claimed) && { receipt: true }),
      },
      ttlMs: Math.max(0, leftMs(claim, place, steadyMs)),
    })),
    targets,
    revoked,
    ...(lease && { leaseEnd: lease.end }),
  };
}

/** Tells whether devices report that they showed the push: of open alerts, with their reminders, and of test pushes. */
function isReceiptWanted({ channelId, event: { alert, quiet } }: ClaimedEvent): boolean {
  if (channelId === null) return quiet !== true;
  return alert?.state === 'open' && !(quiet === true && alert.shows !== undefined);
}

/** Returns held pushes, revoked so that the thread skips them. */
function heldOf({ lane, targets, revoked }: OpenClaim, isHeld: Dispatch['isHeld']): Sent[] {
  if (lane === 'quarantine') return [];
  return targets.flatMap((target, index) => {
    if (!isHeld(target)) return [];
    Atomics.store(revoked, index, 1);
    return [{ index, deviceId: target.deviceId, outcome: HELD, fitted: false }];
  });
}

function unanswered({ targets }: OpenClaim, index: number): Sent {
  return { index, deviceId: targets[index]?.deviceId ?? 0, outcome: NO_ANSWER, fitted: false };
}

function goneAmong(judged: readonly Sent[]): readonly number[] {
  return judged.flatMap(({ deviceId, outcome }) => (outcome.kind === 'unregistered' ? [deviceId] : []));
}

/** Returns whether all ended; otherwise a part waits again. */
async function settle(
  claim: OpenClaim,
  judged: readonly Sent[],
  linksLost: readonly boolean[],
  deps: RelayDeps,
): Promise<boolean> {
  const { store, clock, policy, random, links, receipts } = deps;
  const isUntouched = judged.length === claim.targets.length && judged.every(({ outcome }) => isUnspent(outcome));
  if (isUntouched) {
    await giveBack(claim, deps);
    return false;
  }
  const steadyMs = clock.steadyMs();
  const isAwaitedOf = claim.events.map(isReceiptWanted);
  const verdicts = judged.flatMap(({ index, outcome, fitted }): SettleArgs['verdicts'] => {
    const target = claim.targets[index];
    if (!target) return [];
    const tried = { outcome, target, leftMs: leftMs(claim, target.event, steadyMs) };
    const verdict = verdictOf(tried, policy, random);
    const isAwaited = receipts && verdict.state === 'accepted' && isAwaitedOf[target.event] === true;
    return [
      {
        index,
        verdict: isAwaited ? { ...verdict, isAwaited } : verdict,
        fitted,
        linksLost: linksLost[target.event] === true,
      },
    ];
  });
  const { claimId } = claim;
  // Runs until all are recorded: each call records at least one.
  for (const _ of verdicts) {
    const settled = await untilStored((isCareful) => store.settleBatch({ claimId, verdicts, isCareful }), deps);
    for (const publicId of settled?.finished ?? []) links.drop(publicId);
    if (settled?.more !== true) break;
  }
  return verdicts.every(({ verdict }) => verdict.state !== 'pending' && verdict.state !== 'held');
}

/** Retries until stored: unsettled pushes would be sent again. Null if the relay stops, or for store errors. */
async function untilStored<T>(
  call: (isCareful: boolean) => Promise<T>,
  { after, log, isStopping }: RelayDeps,
): Promise<T | null> {
  for (;;) {
    try {
      return await retryCarefully(log, call);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        log.error({ err: error }, 'a batch could not be recorded; it is sent again after the next start');
        return null;
      }
      if (isStopping()) {
        log.info(
          { reason: error.reason },
          'a batch was not recorded before the stop; it is sent again after the next start',
        );
        return null;
      }
      await new Promise<void>((resolve) => after(SETTLE_AGAIN_MS, resolve));
    }
  }
}

export interface RelayDeps {
  readonly store: Pick<StoreClient, 'claimBatches' | 'settleBatch' | 'releaseBatch' | 'expireOverdue'>;
  /** See pool.ts. */
  readonly pool: { send(batch: Batch, onEarly: (answers: readonly Sent[]) => void): Promise<readonly Sent[]> };
  /** Gets the ends that the store reports. */
  readonly openClaims: OpenClaims;
  readonly links: LinkMemory;
  readonly clock: Clock;
  /** The lease of claims; absent: no other node takes them over. */
  readonly lease?: Lease | undefined;
  readonly policy: RetryPolicy;
  readonly threads: number;
  readonly log: Logger;
  /** Whether to request reports of shown pushes. */
  readonly receipts: boolean;
  readonly random: () => number;
  readonly after: After;
  /** Whether the process is stopping: unsettled pushes are left to the next start. */
  readonly isStopping: () => boolean;
  /** Called with outcomes of a batch or part, before settling. */
  readonly onSent?: (claim: Claim, answers: readonly Sent[]) => void;
  /** Called after outcomes are settled. `gone`: ids of devices now inactive, or registered again. */
  readonly onSettled?: (claim: Claim, gone: readonly number[]) => void;
}
