import { publicIdOf, type Uuid } from '../../contract/public-id.ts';
import type { Moment } from '../../process/clock.ts';
import type { AnswerOf, ArgsOf } from '../calls.ts';
import type { ClaimedBatch } from './batches.ts';
import { deadLetterReason } from './dead-letter.ts';
import type { Recorded } from './engine.ts';
import type { ClaimedPart } from './fan-out-pages.ts';
import type { QueueDeps } from './planning.ts';
import { type ClaimedLine, linesOf } from './verdicts.ts';

/** Rows changed per call, roughly: webhooks get a message per settled event. */
const MOST_ROWS = 250;
type Settled = AnswerOf<'settleBatch'>;
type Recording = Awaited<ReturnType<QueueDeps['engine']['record']>>;

/** A claimed part's lines of a call. */
interface PartLines {
  readonly batch: ClaimedBatch<ClaimedPart>;
  readonly part: ClaimedPart;
  readonly lines: readonly ClaimedLine<ClaimedPart>[];
}

export function settling({ engine, claims, turns }: QueueDeps) {
  function recordOf({ part, lines }: PartLines): Recorded {
    if (!part.page) return { of: part, lines, fanOut: null };
    if (part.open > 0 || part.isIncomplete) {
      if (part.open === 0) readAgain(part);
      return { of: part, lines, fanOut: { settledTo: 0, isEnded: false } };
    }
    const { settledTo, ended: isEnded, undo } = claims.pages.settled(part);
    engine.onRollback(() => {
      undo();
      turns.giveBack(part);
    });
    return { of: part, lines, fanOut: { settledTo, isEnded } };
  }

  /** Makes a page its fan-out's next: only what is not recorded is found there. */
  function readAgain(part: ClaimedPart): void {
    engine.onRollback(claims.pages.abandon(part));
    turns.giveBack(part);
  }

  const settle = (parts: readonly PartLines[], now: Moment) => engine.record(parts.map(recordOf), now);

  /** Makes a throwing event a dead letter: unclaimed, it can be ended. */
  async function settleContained(lines: PartLines, now: Moment): Promise<Recording> {
    const { part } = lines;
    const attempted = await engine.attempt(() => settle([lines], now));
    if ('done' in attempted) return attempted.done;
    part.isIncomplete = true;
    engine.onRollback(() => {
      part.isIncomplete = false;
    });
    if (part.open === 0) readAgain(part);
    return { finished: [], rows: await engine.addDeadLetter(part, deadLetterReason(attempted.error), now.wallMs) };
  }

  function partsOf({ claimId, verdicts }: ArgsOf<'settleBatch'>): { parts: readonly PartLines[]; hasMore: boolean } {
    const batch = claims.find(claimId);
    if (!batch) return { parts: [], hasMore: false };
    const { lines, hasMore } = linesOf(batch, verdicts);
    const parts = [...Map.groupBy(lines, ({ part }) => part)].map(([part, ofPart]) => ({ batch, part, lines: ofPart }));
    return { parts, hasMore };
  }

  return {
    /** Settles calls together. Settles an event that throws alone if `isCareful`. The first answer has all endings. */
    async settleBatches(
      asked: readonly ArgsOf<'settleBatch'>[],
      now: Moment,
      isCareful = false,
    ): Promise<readonly Settled[]> {
      const calls = asked.map(partsOf);
      const parts = calls.flatMap((call) => call.parts);
      const step = isCareful ? 1 : engine.partsTogether;
      const finished: Uuid[] = [];
      let at = 0;
      for (let rows = 0; at < parts.length && rows < MOST_ROWS; at += step) {
        const together = parts.slice(at, at + step);
        for (const { batch, lines } of together) {
          const indexes = lines.map(({ index }) => index);
          engine.onRollback(claims.settle(batch, indexes));
        }
        const [first] = together;
        const recorded = isCareful && first ? await settleContained(first, now) : await settle(together, now);
        finished.push(...recorded.finished);
        rows += recorded.rows;
      }
      const left = new Set(parts.slice(at));
      return calls.map(({ parts: ofCall, hasMore }, place) => ({
        finished: place === 0 ? finished.map(publicIdOf) : [],
        ...((hasMore || ofCall.some((part) => left.has(part))) && { more: true }),
      }));
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
