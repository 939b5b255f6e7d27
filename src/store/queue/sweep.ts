import { publicIdOf } from '../../public-id.ts';
import type { Handlers } from '../handlers.ts';
import type { Claims } from './claims.ts';
import type { EventHead } from './event-heads.ts';
import { type FanOuts, isExpired } from './fan-outs.ts';
import type { Line, Recorder } from './recorder.ts';
import type { Retries } from './retries.ts';
import { everyLane, type Turns } from './turns.ts';

/** Fan-outs and retries that one call may end without a send, so that a long-dead backlog cannot hold the thread. */
export const ENDINGS_PER_CALL = 200;

interface Parts {
  readonly claims: Claims;
  readonly turns: Turns;
  readonly records: Recorder;
  readonly fresh: FanOuts;
  readonly deferred: Retries;
  readonly headOf: (eventId: number) => EventHead | undefined;
}

/**
 * Ends what has outlived its event's time to live on routes that nothing is claimed from: paused ones, and those of
 * suspended workspaces. Events expire in the order in which they came, so each workspace is left at its first live one.
 */
export function sweep(parts: Parts): Handlers<'expireOverdue'>['expireOverdue'] {
  const { claims, turns, records, fresh, deferred, headOf } = parts;

  return ({ steadyMs, wallMs }) => {
    const finished: string[] = [];
    let endings = 0;
    const done = (uuid: Buffer | null): void => {
      endings += 1;
      if (uuid) finished.push(publicIdOf(uuid.toString('hex')));
    };

    for (const lane of everyLane()) {
      for (const workspaceId of turns.allWorkspaces(lane)) {
        for (const fanOut of turns.fanOuts(lane, workspaceId, 0)) {
          const head = headOf(fanOut.eventId);
          if (head && !isExpired(head, steadyMs)) break;
          if (claims.isIdle(fanOut)) done(fresh.end(fanOut, head, steadyMs, wallMs));
          if (endings >= ENDINGS_PER_CALL) return { finished, more: true };
        }
        for (;;) {
          const due = deferred.due(lane, workspaceId, steadyMs, ENDINGS_PER_CALL);
          const head = due && headOf(due.eventId);
          if (!due || !head || !isExpired(head, steadyMs)) break;
          const account = { ...lane, eventId: head.id, workspaceId, channelId: head.channelId };
          done(records.record(account, lane.lane, due.deviceIds.map(expiredLine), false, wallMs));
          if (endings >= ENDINGS_PER_CALL) return { finished, more: true };
        }
      }
    }
    return { finished, more: false };
  };
}

export function expiredLine(deviceId: number): Line {
  return { deviceId, verdict: { state: 'expired', reason: 'ttl' }, fitted: false };
}
