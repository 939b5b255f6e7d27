import type { Schema } from '../../api/client.ts';
import type { Answer, Problem } from '../../api/problem.ts';

type Added = Schema<'MemberAnswer'>;

export interface Outcome {
  readonly added: readonly Added[];
  readonly refused: readonly { readonly email: string; readonly why: string }[];
}

/**
 * Problems that every further invitation would have: nobody has proved who asks, or the server does not answer, and
 * each would wait for it.
 */
const ENDING: readonly Problem['kind'][] = ['confirm', 'offline', 'away', 'signed-out'];
/** The error code of too many changes; further ones are rejected, too. */
const TOO_MANY = 'change_throttled';

/** Adds people one after the other. Stops at a problem that all others would have, and reports it for them, too. */
export async function inviteAll(
  emails: readonly string[],
  add: (email: string, nth: number) => Promise<Answer<Added>>,
): Promise<Outcome> {
  const added: Added[] = [];
  const refused: Outcome['refused'][number][] = [];
  for (const [nth, email] of emails.entries()) {
    const answer = await add(email, nth);
    if (answer.ok) {
      added.push(answer.data);
      continue;
    }
    const { kind, code, fields, message } = answer.problem;
    refused.push({ email, why: Object.values(fields)[0] ?? message });
    if (!ENDING.includes(kind) && code !== TOO_MANY) continue;
    refused.push(...emails.slice(nth + 1).map((other) => ({ email: other, why: message })));
    break;
  }
  return { added, refused };
}

/** Separators of pasted text: lines, commas, semicolons or blanks. `Ada <ada@example.com>` works, too. */
const BETWEEN = /[\s,;]+/u;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/u;

/** Returns a text's distinct addresses, and the other words. */
export function addressesIn(text: string): { readonly emails: readonly string[]; readonly others: readonly string[] } {
  const named = text.replaceAll(/^[^<>\n,;]*<([^<>\s]+)>/gmu, '$1');
  const words = [...new Set(named.split(BETWEEN).filter((word) => word !== ''))];
  return {
    emails: [...new Set(words.filter((word) => ADDRESS.test(word)).map((word) => word.toLowerCase()))],
    others: words.filter((word) => !ADDRESS.test(word)),
  };
}
