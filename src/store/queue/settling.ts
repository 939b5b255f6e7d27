import { publicIdOf } from '../../contract/public-id.ts';
import type { Moment } from '../../process/clock.ts';
import type { AnswerOf, ArgsOf } from '../calls.ts';
import { deadLetterReason } from './dead-letter.ts';
import type { Recorded } from './engine.ts';
import type { ClaimedPart } from './fan-out-pages.ts';
import type { QueueDeps } from './planning.ts';
import { type ClaimedLine, linesOf } from './verdicts.ts';

/** Rows changed per call, roughly: webhooks get a message per settled event. */
const MOST_ROWS = 250;
/** Events settled before changed rows are counted. */
const PARTS_TOGETHER = 25;
/** A dead letter moves its event's fan-out and retries, whose number is not counted. */
const ROWS_OF_A_DEAD_LETTER = 25;

type Recording = Awaited<ReturnType<QueueDeps['engine']['record']>>;
type PartLines = readonly [ClaimedPart, readonly ClaimedLine<ClaimedPart>[]];

export function settling({ engine, claims, turns }: QueueDeps) {
  function recordOf([part, lines]: PartLines): Recorded {
    if (!part.page) return { of: part, lines, fanOut: null };
    if (part.open > 0) return { of: part, lines, fanOut: { settledTo: 0, isEnded: false } };
    const { settledTo, ended: isEnded, undo } = claims.pages.settled(part);
    engine.onRollback(undo);
    return { of: part, lines, fanOut: { settledTo, isEnded } };
  }

  const settle = (parts: readonly PartLines[], now: Moment) => engine.record(parts.map(recordOf), now);

  /** Makes a throwing event a dead letter: unclaimed, it can be ended. */
  async function settleContained(part: PartLines, now: Moment): Promise<Recording> {
    const attempted = await engine.attempt(() => settle([part], now));
    if ('done' in attempted) return attempted.done;
    await engine.addDeadLetter(part[0], deadLetterReason(attempted.error), now.wallMs);
    if (part[0].open === 0) engine.onRollback(claims.pages.abandon(part[0]));
    return { finished: [], rows: ROWS_OF_A_DEAD_LETTER };
  }

  return {
    async settleBatch(
      { claimId, verdicts, isCareful }: ArgsOf<'settleBatch'>,
      now: Moment,
    ): Promise<AnswerOf<'settleBatch'>> {
      const batch = claims.find(claimId);
      if (!batch) return { finished: [] };
      const { lines, hasMore } = linesOf(batch, verdicts);
      const parts = [...Map.groupBy(lines, ({ part }) => part)];
      const step = isCareful ? 1 : PARTS_TOGETHER;
      const finished: string[] = [];
      let at = 0;
      for (let rows = 0; at < parts.length && rows < MOST_ROWS; at += step) {
        const together = parts.slice(at, at + step);
        const indexes = together.flatMap(([, ofPart]) => ofPart.map(({ index }) => index));
        engine.onRollback(claims.settle(batch, indexes));
        const [first] = together;
        const recorded = isCareful && first ? await settleContained(first, now) : await settle(together, now);
        finished.push(...recorded.finished);
        rows += recorded.rows;
      }
      return { finished: finished.map(publicIdOf), ...((hasMore || at < parts.length) && { more: true }) };
    },

    releaseBatch({ claimId }: ArgsOf<'releaseBatch'>): null {
      const batch = claims.find(claimId);
      if (!batch) return null;
      claims.release(batch);
      for (const part of batch.parts) turns.giveBack(part);
      return null;
    },
  };
}
