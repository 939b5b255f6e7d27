import { OperatorProblem } from '../problem.ts';
import type { Answered, Unanswered } from './api.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const TRY_LATER = 75;

/** What a key may do in a minute is free again within 60 s: enough to wait that out. */
export const PATIENCE_MS = 120_000;

export interface Persistence {
  /** After so long no further try begins. */
  readonly patienceMs: number;
  /** Told why there is another try, and when. */
  readonly note: (text: string) => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** 0 up to 1. */
  readonly random: () => number;
}

/** Patience has ended. `body`: of the last answer; undefined: there was none. */
export class GaveUp extends OperatorProblem {
  readonly body: unknown;
  constructor(message: string, body: unknown) {
    super(message, TRY_LATER);
    this.name = 'GaveUp';
    this.body = body;
  }
}

/**
 * Posts again for as long as there may still be another answer: after a 429, a 5xx, or none. It waits as long as the service
 * asks, else longer each time. Throws GaveUp where its patience ends before that, and OperatorProblem where no answer is to be
 * expected at all.
 */
export async function postPersistently(
  post: () => Promise<Answered | Unanswered>,
  { patienceMs, note, wait, now, random }: Persistence,
): Promise<Answered> {
  const giveUpAtMs = now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    const result = await post();
    if ('status' in result && isFinal(result.status)) return result;
    const why =
      'unanswered' in result ? result.unanswered : `the service answered ${result.status}: ${explain(result)}`;
    if ('unanswered' in result && !result.mayPass) throw new OperatorProblem(why);
    const waitMs = waitFor(result, tries, random);
    const inS = Math.ceil(waitMs / 1_000);
    if (now() + waitMs > giveUpAtMs) {
      throw new GaveUp(`${why} Try again in ${inS} s.`, 'body' in result ? result.body : undefined);
    }
    note(`pushctl: ${why} Trying again in ${inS} s.`);
    await wait(waitMs);
  }
}

/** The API's own words; of a 422 every one of them. */
export function explain({ body }: Answered): string {
  const { message, errors } = body as { message?: string; errors?: Record<string, readonly string[]> };
  return (
    Object.values(errors ?? {})
      .flat()
      .join(' ') ||
    message ||
    'no message.'
  );
}

function isFinal(status: number): boolean {
  return status !== 429 && status < 500;
}

/** Doubled each time, with jitter: many that met the same trouble shall not all come back at once. */
function waitFor(result: Answered | Unanswered, tries: number, random: () => number): number {
  if ('status' in result && result.retryAfterMs !== null) return result.retryAfterMs;
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS) * (0.5 + random() / 2);
}
