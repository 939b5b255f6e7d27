import { isLoopback } from '../config/units.ts';
import { BoundExceeded, sendRequest } from '../process/bounded-request.ts';
import { OperatorProblem } from '../process/problem.ts';
import { isJsonObject } from '../values/json.ts';

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
