import { publicIdOf } from '../../../contract/public-id.ts';
import type { Target } from '../../../push.ts';
import type { Claim, ClaimedEvent } from '../../calls.ts';
import { keptFields } from '../../event-columns.ts';
import { mannerStored } from '../../handlers/alerts/push.ts';
import type { TransactionHooks } from '../transaction.ts';
import type { Claims } from './claims.ts';
import type { EventHead } from './event-heads.ts';
import type { ClaimedPart } from './fan-out-pages.ts';
import type { ClaimedTarget } from './fan-outs.ts';
import type { LaneKey } from './ready.ts';

/** Claimed devices of one event, with what is sent to them. */
export interface ClaimedTargets {
  readonly part: ClaimedPart;
  readonly event: ClaimedEvent;
  readonly targets: readonly ClaimedTarget[];
}

/** Packs the claimed parts into batches. No part is split: each was claimed for the free space of one batch. */
export function inBatches(taken: readonly ClaimedTargets[], batchSize: number): ClaimedTargets[][] {
  const batches: ClaimedTargets[][] = [];
  let free = 0;
  for (const each of taken) {
    if (free === 0) {
      batches.push([]);
      free = batchSize;
    }
    batches.at(-1)?.push(each);
    free -= each.targets.length;
  }
  return batches;
}

/** One batch, as the relay gets it. */
export function handOut(
  claims: Claims,
  hooks: TransactionHooks,
  { route, lane }: LaneKey,
  taken: readonly ClaimedTargets[],
  wallMs: number,
): Claim {
  const batch = claims.handOut(
    route,
    lane,
    taken.map(({ part }) => part),
    wallMs,
  );
  hooks.onRollback(() => claims.withdraw(batch));
  const places = new Map<number, number>();
  const events: ClaimedEvent[] = [];
  const targets: Target[] = [];
  for (const { part, event, targets: its } of taken) {
    const place = places.get(part.eventId) ?? events.push(event) - 1;
    places.set(part.eventId, place);
    for (const target of its) targets.push({ event: place, ...target });
  }
  return { claimId: batch.claimId, order: batch.order, route, lane, events, targets };
}

export function claimedEvent(head: EventHead, workspaceId: number, steadyMs: number): ClaimedEvent {
  const { id: eventId, channelId, workspace, channel, receivedAtMs, hadLinks, expiresAtSteadyMs } = head;
  const publicId = publicIdOf(head.uuid.toString('hex'));
  return {
    eventId,
    workspaceId,
    channelId,
    event: { publicId, workspace, channel, receivedAtMs, ...keptFields(head), ...mannerStored(head) },
    hadLinks: hadLinks === 1,
    leftMs: expiresAtSteadyMs - steadyMs,
  };
}
