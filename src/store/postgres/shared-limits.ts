import { hash } from 'node:crypto';
import type { Clock } from '../../process/clock.ts';
import type { ArgsOf, UsesCounted } from '../calls.ts';
import type { CallPath } from './call-path.ts';
import type { Connections } from './connections.ts';
import { errorReply } from './errors.ts';

/**
 * Counts uses against limits shared by all nodes (functions/limits.sql). Bypasses the committer: guesses of passwords
 * do not delay changes.
 */
export function limitsPath({ lend }: Connections, clock?: Clock): CallPath {
  async function count({ uses }: ArgsOf<'countUses'>): Promise<UsesCounted> {
    const names = uses.map(({ name }) => windowName(name));
    const most = uses.map(({ most }) => most);
    const windows = uses.map(({ windowMs }) => windowMs);
    const { rows } = await lend(({ ask }) =>
      ask({ text: 'SELECT * FROM use_all($1, $2, $3, $4)', values: [names, most, windows, clock?.steadyMs() ?? null] }),
    );
    const [counted] = rows as readonly Row[];
    return { resetAfterMs: counted?.reset_ms ?? null, at: counted?.counted_at.map(Number) ?? [] };
  }

  async function takeBack({ names, at }: ArgsOf<'takeBackUses'>): Promise<null> {
    await lend(({ ask }) => ask({ text: 'SELECT take_back_uses($1, $2)', values: [names.map(windowName), at] }));
    return null;
  }

  return {
    canTake: ({ name }) => name === 'countUses' || name === 'takeBackUses',
    async answer({ name, args }) {
      try {
        const answer = name === 'countUses' ? await count(args as never) : await takeBack(args as never);
        return { kind: 'answer', answer };
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}

interface Row {
  readonly reset_ms: number | null;
  /** Texts, like all numbers in arrays. */
  readonly counted_at: readonly string[];
}

/** Hashes a name for the database: guessers choose it, in any length, and it may be an address. */
export function windowName(name: string): string {
  return hash('sha256', name, 'base64url');
}
