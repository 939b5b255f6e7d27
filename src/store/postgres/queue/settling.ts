import { publicIdOf } from '../../../contract/public-id.ts';
import type { AnswerOf, ArgsOf } from '../../calls.ts';
import { type QueueDeps, untilUncrossed } from './deps.ts';
import { setAside } from './set-aside.ts';
import { linesOf, settleLines, type VerdictLine } from './verdict-lines.ts';

type Lines = readonly (VerdictLine & { readonly index: number })[];

/** Takes back what was claimed: with verdicts, or unsent. */
export function settling(deps: QueueDeps): {
  settleBatch(args: ArgsOf<'settleBatch'>): Promise<AnswerOf<'settleBatch'>>;
  releaseBatch(args: ArgsOf<'releaseBatch'>): Promise<null>;
} {
  const { held } = deps;

  async function settle(claimId: string, lines: Lines): Promise<readonly string[]> {
    const claim = held.find(claimId);
    if (claim === undefined || lines.length === 0) return [];
    const takeBack = held.settle(
      claim,
      lines.map(({ index }) => index),
    );
    try {
      const done = [...new Set(lines.map(({ part }) => part))].filter(({ open }) => open === 0).map(({ id }) => id);
      return await untilUncrossed(deps, (connection) => settleLines(connection, deps, lines, done));
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** Sets aside the events that throw. */
  async function settleOneByOne(claimId: string, lines: Lines): Promise<readonly string[]> {
    const finished: string[] = [];
    for (const its of Map.groupBy(lines, (line) => line.part).values()) {
      try {
        finished.push(...(await settle(claimId, its)));
      } catch (error) {
        await setAside(deps, its[0] as VerdictLine, error);
        const claim = held.find(claimId);
        const indexes = its.map(({ index }) => index);
        if (claim) held.settle(claim, indexes);
      }
    }
    return finished;
  }

  return {
    async settleBatch({ claimId, verdicts, isCareful = false }) {
      const claim = held.find(claimId);
      if (claim === undefined) return { finished: [] };
      const finished = await (isCareful ? settleOneByOne : settle)(claimId, linesOf(claim, verdicts));
      return { finished: finished.map(publicIdOf) };
    },

    async releaseBatch({ claimId }) {
      const claim = held.find(claimId);
      if (claim === undefined) return null;
      await release(
        deps,
        claim.parts.map(({ id }) => id),
      );
      held.drop(claim);
      return null;
    },
  };
}

/** What is left of these claims was not sent. */
export async function release(deps: QueueDeps, ids: readonly number[]): Promise<void> {
  await untilUncrossed(deps, ({ ask }) => ask({ text: 'SELECT release_claims($1)', values: [ids] }));
}
