import type { Moment } from '../../../process/clock.ts';
import { laneOf, ROUTES } from '../../../push.ts';
import { deadLetterReason } from '../../queue/dead-letter.ts';
import type { Recorded } from '../../queue/engine.ts';
import type { QueueDeps } from '../../queue/planning.ts';
import type { Ended } from '../../queue/sweep.ts';
import { endOfLife } from '../../queue/targets.ts';
import { unsentLine } from '../../queue/verdicts.ts';
import type { OverEvent, SqliteQueueEngine } from './engine.ts';

/** Ends an event's waiting pushes: fan-outs of which nothing is claimed, and up to `most` retries. */
export function ending({ engine, claims }: Pick<QueueDeps, 'claims'> & { readonly engine: SqliteQueueEngine }) {
  async function end(event: OverEvent, most: number, now: Moment): Promise<Ended> {
    const { eventId, workspaceId, channelId } = event;
    const of = { lane: laneOf(event.urgency), workspaceId, eventId, fanOutId: eventId, channelId };
    const records: Recorded[] = [];
    for (const route of ROUTES) {
      if (claims.pages.isOut({ ...of, route })) continue;
      claims.pages.forget({ ...of, route });
      records.push({ of: { ...of, route }, lines: [], fanOut: { settledTo: 0, isEnded: true } });
    }
    const asked = most + claims.claimedRetries;
    const waiting = await engine.retriesOf(eventId, asked);
    const idle = waiting.filter(({ deviceId }) => !claims.isClaimedRetry(eventId, deviceId));
    for (const [route, retries] of Map.groupBy(idle, (retry) => retry.route)) {
      const lines = retries.map(({ deviceId }) => unsentLine(deviceId, endOfLife(event)));
      records.push({ of: { ...of, route }, lines, fanOut: null });
    }
    const { finished } = await engine.record(records, now);
    return { uuids: finished, endings: 1 + idle.length, isLeft: waiting.length >= asked };
  }

  return {
    end,

    /**
     * Does the same, and ends the event's dead letters. If their error in pushctl recurs, the event stays a dead letter.
     */
    async endCarefully(event: OverEvent, most: number, now: Moment): Promise<Ended> {
      const { eventId, workspaceId } = event;
      const attempted = await engine.attempt(async () => {
        const { isMore } = engine.bringBack(eventId);
        const ended = await end(event, most, now);
        return { ...ended, isLeft: ended.isLeft || isMore };
      });
      if ('done' in attempted) return attempted.done;
      const reason = deadLetterReason(attempted.error);
      const lane = laneOf(event.urgency);
      let endings = 0;
      for (const route of ROUTES)
        endings += await engine.addDeadLetter({ route, lane, workspaceId, eventId }, reason, now.wallMs);
      return { uuids: [], endings, isLeft: false };
    },
  };
}
