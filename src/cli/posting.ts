import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Option } from 'commander';
import { baseUrlOf } from '../config/config.ts';
import { whyUnreadable } from '../config/named-file.ts';
import { OperatorProblem } from '../process/problem.ts';
import { durationOption } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { type Answered, eventsAddress, type NewEvent, postEvent, type Unanswered } from './post-event.ts';

/** Twice the 60 s after which a key's burst limit is free again. */
const RETRY_FOR = '2m';

/** The posting address. `hint`: advice without an answer. */
interface Place {
  readonly address: URL;
  readonly hint: string;
}

export interface Posting extends Place {
  readonly key: string;
  readonly retryForMs: number;
}

export function retryForOption(): Option {
  const description = 'how long to retry after 429, 5xx or no answer; then exit with 75';
  return durationOption('--retry-for <duration>', description, RETRY_FOR);
}

export function post(context: CommandContext, event: NewEvent, posting: Posting): Promise<Answered> {
  const { address, hint, key, retryForMs } = posting;
  const once = async () => {
    const result = await postEvent(address, key, event);
    return 'unanswered' in result ? { ...result, unanswered: result.unanswered + hint } : result;
  };
  const { note } = context;
  return postWithRetries(once, { retryForMs, note, wait, now: () => performance.now(), random: Math.random });
}

/** Returns the posting address: `server`, else the configured. */
export async function addressOf(context: CommandContext, server: string | undefined): Promise<Place> {
  if (server !== undefined) return { address: eventsAddress(server), hint: '' };
  const { GUESSED_ADDRESS, isServiceConfigHidden } = await import('./service-config.ts');
  const config = await context.config();
  const { file } = await context.loaded();
  const isGuess = config.baseUrl === null && isServiceConfigHidden(context, file);
  return { address: eventsAddress(baseUrlOf(config)), hint: isGuess ? ` ${GUESSED_ADDRESS}` : '' };
}

export function readKey({ process }: CommandContext, file: string | undefined): string {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new OperatorProblem(`the key file ${file} ${whyUnreadable(error)}`, 1, {
        advice: 'name a file with the API key that this user can read',
      });
    }
  }
  const key = process.env.PUSHCTL_API_KEY?.trim();
  if (key) return key;
  throw new OperatorProblem('no API key', 2, { advice: 'set PUSHCTL_API_KEY, or pass a file with --key-file' });
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const TRY_LATER = 75;

interface RetryOptions {
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
