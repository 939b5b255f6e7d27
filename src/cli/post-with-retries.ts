import { OperatorProblem } from '../process/problem.ts';
import type { Answered, Unanswered } from './post-event.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const TRY_LATER = 75;

export interface RetryOptions {
  /** No retry begins after this time. */
  readonly retryForMs: number;
  /** Receives each retry's reason and time. */
  readonly note: (text: string) => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Posts with retries after a 429, a 5xx, or no answer, after the requested or else growing waits. Throws
 * `OperatorProblem` (exit code 75) when time is up, or at once if retries cannot help.
 */
export async function postWithRetries(
  post: () => Promise<Answered | Unanswered>,
  { retryForMs, note, wait, now, random }: RetryOptions,
): Promise<Answered> {
  const giveUpAtMs = now() + retryForMs;
  for (let tries = 1; ; tries += 1) {
    const result = await post();
    if ('status' in result && isFinal(result.status)) return result;
    const problem = 'unanswered' in result ? new OperatorProblem(result.unanswered) : refusedBy(result);
    if ('unanswered' in result && !result.canPass) throw problem;
    const waitMs = waitFor(result, tries, random);
    const inS = Math.ceil(waitMs / 1_000);
    if (now() + waitMs > giveUpAtMs) {
      const { what, code, answer } = problem;
      throw new OperatorProblem(what, TRY_LATER, {
        advice: `Try again in ${inS} s.`,
        answer,
        ...('body' in result && { code }),
      });
    }
    note(`pushctl: ${problem.what} Trying again in ${inS} s.`);
    await wait(waitMs);
  }
}

/** Returns the problem of a rejection, with its answer and code. */
export function refusedBy(answered: Answered): OperatorProblem {
  const { status, body } = answered;
  const { code } = body as { readonly code?: unknown };
  const what = `the service answered ${status}: ${explain(answered)}`;
  return new OperatorProblem(what, 1, { answer: body, ...(typeof code === 'string' && { code }) });
}

/** Returns the API's message; for a 422 all of them. */
function explain({ body }: Answered): string {
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

/** Returns a doubling wait with jitter, so that clients do not retry at once. */
function waitFor(result: Answered | Unanswered, tries: number, random: () => number): number {
  const askedMs = 'status' in result ? (result.retryAfterMs ?? 0) : 0;
  if (askedMs > 0) return askedMs;
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS) * (0.5 + random() / 2);
}
