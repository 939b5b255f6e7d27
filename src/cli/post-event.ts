import { isLoopback } from '../config/units.ts';
import { USER_AGENT } from '../process/package.ts';
import { OperatorProblem } from '../process/problem.ts';
import { isJsonObject } from '../values/json.ts';

const DEADLINE_MS = 30_000;
/** Size of an answer, decompressed. pushctl's own have a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

export type NewEvent = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** How long the service asks to wait; null: it does not say. */
  readonly retryAfterMs: number | null;
  /** The event was known by its idempotency key. */
  readonly isReplay: boolean;
  /** The event of that key was first sent with another body. */
  readonly bodyDiffers: boolean;
  /** The event would resolve an alert that its key may not resolve. */
  readonly leavesAlert: boolean;
}
/** `mayPass`: a later try may get an answer. */
export interface Unanswered {
  readonly unanswered: string;
  readonly mayPass: boolean;
}

/** Where the events of a service are posted. `baseUrl` ends with `/api`. Throws OperatorProblem where it is none. */
export function eventsAddress(baseUrl: string): URL {
  const address = URL.parse(`${baseUrl.replace(/\/$/, '')}/v1/events`);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new OperatorProblem(`"${baseUrl}" is no address of a service`, 2, {
      advice: 'expected one like https://push.example.com/api',
    });
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname.replace(/^\[|\]$/g, ''))) {
    throw new OperatorProblem(`${address.origin} would get the API key unencrypted`, 2, {
      advice: 'use its https address',
    });
  }
  return address;
}

/** POST /v1/events, once. */
export async function postEvent(address: URL, key: string, event: NewEvent): Promise<Answered | Unanswered> {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'User-Agent': USER_AGENT,
      },
      body: JSON.stringify(event),
      // To follow a redirect would hand the key to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const { status, headers } = answer;
    const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN);
    return {
      status,
      body: bodyOf(status, await textOf(answer)),
      retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : null,
      isReplay: headers.has('Idempotent-Replayed'),
      bodyDiffers: headers.get('Idempotent-Body') === 'different',
      leavesAlert: headers.has('Pushctl-Alert'),
    };
  } catch (error) {
    const why = `no answer from ${address}: ${reason(error)}. Is the server running, and is this its address?`;
    return { unanswered: why, mayPass: isPassing(error) };
  }
}

/** A proxy that cannot reach the server does not answer with JSON. */
function bodyOf(status: number, text: string): unknown {
  const body = parsed(text);
  if (isJsonObject(body)) return body;
  if (status < 500) throw new Error('it is not a JSON object');
  return {};
}

/** Null: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Rejects where there is more than any answer of pushctl has; the rest is not taken. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`it is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `none within ${DEADLINE_MS / 1000} seconds`;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

/** May pass: a server restarts, a network is away for a while. A wrong name or certificate stays wrong. */
const PASSING = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
];

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  return error.name === 'TimeoutError' || (code !== undefined && PASSING.includes(code));
}
