import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { ClaimedPart } from '../../queue/fan-out-pages.ts';
import { type ClaimedLine, type Line, linesOf } from '../../queue/verdicts.ts';
import type { SyncHandlers } from '../transaction.ts';
import type { OpenCounters } from './counters.ts';
import type { QueueDeps } from './deps.ts';

/** Rows changed per call, roughly: webhooks get a message per settled event. */
const MOST_ROWS = 250;
/** Events settled before changed rows are counted. */
const PARTS_TOGETHER = 25;

export function settling(deps: QueueDeps): SyncHandlers<'settleBatch' | 'releaseBatch'> {
  const { claims, roundRobin, counters, record, fresh, deadLetters, hooks, changes } = deps;

  /** Returns the UUID of the part's event if nothing is pending. */
  function settlePart(part: ClaimedPart, lines: readonly Line[], counts: OpenCounters): Buffer[] {
    const ended = record(part, part.lane, lines, counts);
    const done = ended ? [ended] : [];
    if (!part.page) return done;
    if (part.open > 0) {
      fresh.advance(part, 0, lines.length);
      return done;
    }
    const page = claims.pages.settled(part);
    hooks.onRollback(page.undo);
    if (!page.ended) {
      fresh.advance(part, page.settledTo, lines.length);
      return done;
    }
    const unreached = fresh.end(part, lines.length, counts);
    return unreached ? [...done, unreached] : done;
  }

  function settleTogether(parts: Parts, now: Moment): Buffer[] {
    const counts = counters.open(now);
    const finished = parts.flatMap(([part, lines]) => settlePart(part, lines, counts));
    counts.flush();
    return finished;
  }

  /** Sets throwing parts aside: unclaimed, they can be ended. */
  function settleOneByOne(parts: Parts, now: Moment): Buffer[] {
    return parts.flatMap(([part, lines]) => {
      const attempted = hooks.attempt(() => settleTogether([[part, lines]], now));
      if ('done' in attempted) return attempted.done;
      deadLetters.add(part, attempted.error, now.wallMs);
      if (part.open === 0) hooks.onRollback(claims.pages.abandon(part));
      return [];
    });
  }

  return {
    settleBatch({ claimId, verdicts, isCareful }, now) {
      const batch = claims.find(claimId);
      if (!batch) return { finished: [] };
      const { lines: taken, hasMore } = linesOf(batch, verdicts);
      const parts = [...Map.groupBy(taken, ({ part }) => part)];
      const before = changes();
      const finished: Buffer[] = [];
      let settled = 0;
      for (let at = 0; at < parts.length && changes() - before < MOST_ROWS; at += PARTS_TOGETHER) {
        const together = parts.slice(at, at + PARTS_TOGETHER);
        const indexes = together.flatMap(([, lines]) => lines.map(({ index }) => index));
        hooks.onRollback(claims.settle(batch, indexes));
        finished.push(...(isCareful ? settleOneByOne : settleTogether)(together, now));
        settled += indexes.length;
      }
      return {
        finished: finished.map((uuid) => publicIdOf(uuid.toString('hex'))),
        ...((hasMore || settled < taken.length) && { more: true }),
      };
    },

    releaseBatch({ claimId }) {
      const batch = claims.find(claimId);
      if (!batch) return null;
      claims.release(batch);
      for (const part of batch.parts) {
        roundRobin.ready(part).wake(part.workspaceId);
        if (part.page) roundRobin.of(part, part.workspaceId).begun.add(part.eventId);
      }
      return null;
    },
  };
}

type Parts = readonly (readonly [ClaimedPart, readonly ClaimedLine<ClaimedPart>[]])[];
