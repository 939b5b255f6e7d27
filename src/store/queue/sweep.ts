import { publicIdOf } from '../../public-id.ts';
import type { Handlers } from '../handlers.ts';
import type { Claims } from './claims.ts';
import type { Counters } from './counters.ts';
import type { EventHead } from './event-heads.ts';
import { type FanOuts, isExpired } from './fan-outs.ts';
import { type Line, type RecordVerdicts, unsentLine } from './recorder.ts';
import type { Retries } from './retries.ts';
import { everyLane, type LaneKey, type Turns } from './turns.ts';

/** Fan-outs and retries that one call may end without a send, so that a long-dead backlog cannot hold the thread. */
export const ENDINGS_PER_CALL = 200;

interface Parts {
  readonly claims: Claims;
  readonly turns: Turns;
  readonly counters: Counters;
  readonly record: RecordVerdicts;
  readonly fresh: FanOuts;
  readonly deferred: Retries;
  readonly headOf: (eventId: number) => EventHead | undefined;
}

/**
 * Ends what has outlived its event's time to live on routes that nothing is claimed from: paused ones, and those of
 * suspended workspaces. Events expire in the order in which they came, so each workspace is left at its first live one.
 */
export function sweep(parts: Parts): Handlers<'expireOverdue'>['expireOverdue'] {
  const { claims, turns, counters, record, fresh, deferred, headOf } = parts;

  return ({ steadyMs, wallMs }) => {
    const counts = counters.open(wallMs);
    const finished: string[] = [];
    let endings = 0;
    const done = (uuid: Buffer | null): void => {
      endings += 1;
      if (uuid) finished.push(publicIdOf(uuid.toString('hex')));
    };
    const isFull = () => endings >= ENDINGS_PER_CALL;

    for (const lane of everyLane()) {
      for (const workspaceId of turns.allWorkspaces(lane)) {
        for (const fanOut of fresh.behind(lane, workspaceId, 0)) {
          const head = headOf(fanOut.eventId);
          if (isFull() || (head && !isExpired(head, steadyMs))) break;
          if (claims.isIdle(fanOut)) done(fresh.end(fanOut, 0, steadyMs, counts));
        }
        while (!isFull() && endDue(lane, workspaceId)) {}
      }
    }
    counts.flush();
    return { finished, more: isFull() };

    /** Ends what is too old of what has been due longest, and answers whether there was any. */
    function endDue(lane: LaneKey, workspaceId: number): boolean {
      const before = endings;
      for (const { eventId, deviceIds } of deferred.due(lane, workspaceId, steadyMs, ENDINGS_PER_CALL)) {
        const head = headOf(eventId);
        if (!head || !isExpired(head, steadyMs)) continue;
        const of = { eventId, workspaceId, channelId: head.channelId, route: lane.route };
        done(record(of, lane.lane, deviceIds.map(expiredLine), counts));
      }
      return endings > before;
    }
  };
}

export function expiredLine(deviceId: number): Line {
  return unsentLine(deviceId, { state: 'expired', reason: 'ttl' });
}
