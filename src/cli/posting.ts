import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Option } from 'commander';
import { baseUrlOf } from '../config/config.ts';
import { whyUnreadable } from '../config/named-file.ts';
import { isLoopback } from '../config/units.ts';
import { BoundExceeded, sendRequest } from '../process/bounded-request.ts';
import { OperatorProblem } from '../process/problem.ts';
import { isJsonObject } from '../values/json.ts';
import { durationOption } from './arguments.ts';
import type { CommandContext } from './context.ts';

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

const DEADLINE_MS = 30_000;
/** The largest answer that is read. pushctl's own answers have a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

export type NewEvent = Readonly<
  Record<string, string | number | boolean | Readonly<Record<string, string>> | undefined>
>;

export interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** The requested wait; null: none. */
  readonly retryAfterMs: number | null;
  /** A replay of the idempotency key. */
  readonly isReplay: boolean;
  /** The idempotency key was used with another body. */
  readonly bodyDiffers: boolean;
  /** The key may not resolve the event's alert. */
  readonly leavesAlert: boolean;
}
/** `mayPass`: a retry may get an answer. */
export interface Unanswered {
  readonly unanswered: string;
  readonly canPass: boolean;
}

/** Returns the posting address. `baseUrl` ends with `/api`. Throws `OperatorProblem` if invalid. */
export function eventsAddress(baseUrl: string): URL {
  const address = URL.parse(`${baseUrl.replace(/\/$/, '')}/v1/events`);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new OperatorProblem(`"${baseUrl}" is not the base URL of a service`, 2, {
      advice: 'expected one like https://push.example.com/api',
    });
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname.replace(/^\[|\]$/g, ''))) {
    throw new OperatorProblem(`${address.origin} would get the API key unencrypted`, 2, {
      advice: 'use an https address',
    });
  }
  return address;
}

/** Posts an event once, without retries. */
export async function postEvent(address: URL, key: string, event: NewEvent): Promise<Answered | Unanswered> {
  try {
    const { status, headers, body } = await sendRequest(address, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'application/json',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(event),
      withinMs: DEADLINE_MS,
      mostBytes: MAX_ANSWER_BYTES,
    });
    // A redirect would give the key to another server.
    if (status >= 300 && status < 400) throw new Error(`it redirects to ${headers.location ?? 'nowhere'}`);
    const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
    return {
      status,
      body: bodyOf(status, body.toString('utf8')),
      retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : null,
      isReplay: 'idempotent-replayed' in headers,
      bodyDiffers: headers['idempotent-body'] === 'different',
      leavesAlert: 'pushctl-alert' in headers,
    };
  } catch (error) {
    const why = `no answer from ${address}: ${reason(error)}. Is the server running, and is this its address?`;
    return { unanswered: why, canPass: isPassing(error) };
  }
}

/** Returns the body. A proxy without its server does not answer JSON. */
function bodyOf(status: number, text: string): unknown {
  const body = parsed(text);
  if (isJsonObject(body)) return body;
  if (status < 500) throw new Error('it is not a JSON object');
  return {};
}

/** Parses JSON; null: it is invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reason(error: unknown): string {
  if (error instanceof BoundExceeded) {
    return error.code === 'ETIMEDOUT'
      ? `timeout after ${DEADLINE_MS / 1000} seconds`
      : `the answer is larger than ${MAX_ANSWER_BYTES} bytes`;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Errors that may pass (restart, outage). A wrong name or certificate stays wrong. */
const PASSING = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'];

function isPassing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && PASSING.includes(code);
}
