import { publicIdOf } from '../../../contract/public-id.ts';
import type { AnswerOf, ArgsOf } from '../../calls.ts';
import { type ClaimedLine, linesOf } from '../../queue/verdicts.ts';
import { ConnectionLost, unavailableReason } from '../errors.ts';
import { makeDeadLetter } from './dead-letters.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';
import type { HeldPart } from './held-claims.ts';
import { type HeldLine, requestsOf, settleLines } from './verdict-lines.ts';

type Lines = readonly (HeldLine & ClaimedLine<HeldPart>)[];

interface Waiting {
  readonly claimId: string;
  readonly lines: Lines;
  readonly resolve: (finished: readonly string[]) => void;
  readonly fail: (error: unknown) => void;
}

/** Lines per transaction. More would delay first callers. */
const MOST_LINES = 10_000;

/** Settles claims, and releases unsent ones. */
export function settling(deps: QueueDeps): {
  settleBatch(args: ArgsOf<'settleBatch'>): Promise<AnswerOf<'settleBatch'>>;
  releaseBatch(args: ArgsOf<'releaseBatch'>): Promise<null>;
} {
  const { held } = deps;
  const waiting: Waiting[] = [];
  let isUnderWay = false;

  /** Settles lines in groups: arrivals during a group form the next. */
  function settle(claimId: string, lines: Lines): Promise<readonly string[]> {
    return new Promise((resolve, fail) => {
      waiting.push({ claimId, lines, resolve, fail });
      void work();
    });
  }

  async function work(): Promise<void> {
    if (isUnderWay) return;
    isUnderWay = true;
    while (waiting.length > 0) await settleGroup(nextGroup());
    isUnderWay = false;
  }

  function nextGroup(): Waiting[] {
    let lines = 0;
    const many = waiting.findIndex((batch) => {
      lines += batch.lines.length;
      return lines > MOST_LINES;
    });
    return waiting.splice(0, many === -1 ? waiting.length : Math.max(1, many));
  }

  /** Settles a group. If a batch throws (a bug), settles each batch alone. */
  async function settleGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await settleTogether(group);
    } catch (error) {
      const isAlone = group.length === 1 || unavailableReason(error) !== undefined;
      if (isAlone) for (const { fail } of group) fail(error);
      else for (const batch of group) await settleGroup([batch]);
    }
  }

  async function settleTogether(group: readonly Waiting[]): Promise<void> {
    const { lines, takeBack } = takeLines(group);
    try {
      const done = [...new Set(lines.map(({ part }) => part))].filter(({ open }) => open === 0);
      const finished =
        lines.length === 0 ? [] : await lendRetrying(deps, (connection) => settleLines(connection, deps, lines, done));
      held.forget(done);
      // The first caller drops all links.
      for (const [place, { resolve }] of group.entries()) resolve(place === 0 ? finished : []);
    } catch (error) {
      takeBack();
      if (error instanceof ConnectionLost) for (const { part } of lines) part.isUncertain = true;
      throw error;
    }
  }

  /** Takes lines whose claim is held and whose target is unsettled. */
  function takeLines(group: readonly Waiting[]): { readonly lines: Lines; takeBack(): void } {
    const undo: (() => void)[] = [];
    const lines = group.flatMap(({ claimId, lines: linesOfClaim }) => {
      const claim = held.find(claimId);
      const open = linesOfClaim.filter(({ index }) => claim?.openPart[index]);
      if (claim !== undefined) {
        undo.push(
          held.settle(
            claim,
            open.map(({ index }) => index),
          ),
        );
      }
      return open.filter(({ part }) => held.isCurrent(part));
    });
    return {
      lines,
      takeBack() {
        for (const back of undo.reverse()) back();
      },
    };
  }

  /** Settles each part alone. Throwing events become dead letters. */
  async function settleOneByOne(claimId: string, lines: Lines): Promise<readonly string[]> {
    const finished: string[] = [];
    for (const linesOfPart of Map.groupBy(lines, (line) => line.part).values()) {
      try {
        finished.push(...(await settle(claimId, linesOfPart)));
      } catch (error) {
        const { part, route, lane } = linesOfPart[0] as HeldLine;
        await makeDeadLetter(deps, { ...part, route, lane }, [part.id], error);
        held.forget([part]);
        const claim = held.find(claimId);
        const indexes = linesOfPart.map(({ index }) => index);
        if (claim) held.settle(claim, indexes);
      }
    }
    return finished;
  }

  return {
    async settleBatch({ claimId, verdicts, isCareful = false }) {
      const claim = held.find(claimId);
      if (claim === undefined) return { finished: [] };
      const { route, lane } = claim;
      const taken = linesOf(claim, verdicts);
      const lines = taken.lines.map((line) => ({ ...line, route, lane }));
      const finished = await (isCareful ? settleOneByOne : settle)(claimId, lines);
      return { finished: finished.map(publicIdOf), ...(taken.hasMore && { more: true }) };
    },

    async releaseBatch({ claimId }) {
      const claim = held.find(claimId);
      if (claim === undefined) return null;
      await release(deps, claim.parts);
      held.drop(claimId);
      return null;
    },
  };
}

/** Releases claims, whose unsettled targets were not sent. */
export async function release(deps: QueueDeps, parts: readonly Pick<HeldPart, 'id' | 'request'>[]): Promise<void> {
  const values = [parts.map(({ id }) => id), deps.node, requestsOf(parts)];
  await lendRetrying(deps, ({ ask }) => ask({ text: 'SELECT release_claims($1, $2, $3)', values }));
}
