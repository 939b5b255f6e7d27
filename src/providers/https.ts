import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';
import { type CertificateError, sendRequest } from '../process/bounded-request.ts';
import { MAX_ANSWER_BYTES } from './provider.ts';

/** Limit of a question outside of sending. */
export const PROBE_DEADLINE_MS = 10_000;
const BOUNDS = { withinMs: PROBE_DEADLINE_MS, mostBytes: MAX_ANSWER_BYTES };

interface Question {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of a CA instead of the system's. */
  readonly ca?: string | undefined;
}

export interface ShortAnswer {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: string;
}

/**
 * Makes one request on a new connection. Rejects with `NotConnected`, or without a complete answer of sensible size by
 * the deadline.
 */
export async function ask(url: string | URL, question: Question): Promise<ShortAnswer> {
  let isConnected = false;
  const onConnected = () => {
    isConnected = true;
  };
  try {
    const { status, headers, body } = await sendRequest(url, { ...question, ...BOUNDS, onConnected });
    return { status, date: headers.date, body: body.toString() };
  } catch (error) {
    throw isConnected ? error : new NotConnected(new URL(url).host, error);
  }
}

/** An answer as far as received; the status is complete. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Posts over a `SendingAgent`, which bounds time and length, without redirects. */
export function post(
  url: URL,
  { headers, body, agent }: { readonly headers: OutgoingHttpHeaders; readonly body: Buffer; readonly agent: Agent },
): Promise<ProviderResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ProviderResponse>();
  const asking = request(url, { method: 'POST', headers, agent });
  asking.on('error', reject);
  asking.once('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Errors after the status do not matter.
    asking.off('error', reject).on('error', () => {});
    response.on('error', () => {});
    response.once('close', () => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() });
    });
  });
  asking.end(body);
  return promise;
}

/** Returns a `Date` header as Unix ms, or null. */
export function timeIn(date: string | undefined): number | null {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** Caps waits: a wrong answer or clock would silence the route for years. */
const MAX_WAIT_S = 3_600;

/**
 * Reads `Retry-After`: seconds, or a date, beginning with a letter (`Date.parse` reads '1.5' as 2001).
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function retryAfterSIn(header: unknown): number | null {
  if (typeof header !== 'string' || !/^(\d+$|[a-z])/i.test(header)) return null;
  const waitS = /^\d/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(waitS) ? null : Math.min(Math.max(0, waitS), MAX_WAIT_S);
}

/** Nothing was sent. The message is the system's. */
export class NotConnected extends Error {
  constructor(host: string, cause: unknown) {
    super(`${host}: ${wordsOf(cause)}`, { cause });
    this.name = 'NotConnected';
  }
}

/** The connection missed the deadline. */
export const TOO_SLOW = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });

/** More addresses say the same again. */
const MOST_ATTEMPTS = 4;

interface SystemError extends CertificateError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly address?: unknown;
  /** One for each tried address. */
  readonly errors?: readonly SystemError[];
}

/**
 * Returns attempts' codes: `ETIMEDOUT 192.0.2.1, ENETUNREACH 2001:db8::1`. Names have no address, certificates a
 * sentence.
 */
function wordsOf(error: unknown): string {
  const { code, message, address, certificate, errors = [] } = (error ?? {}) as SystemError;
  if (errors.length > 0) return errors.slice(0, MOST_ATTEMPTS).map(wordsOf).join(', ');
  if (typeof code !== 'string') return String(message ?? 'no connection').slice(0, 100);
  if (typeof address === 'string') return `${code} ${address}`;
  if (!/CERT|VERIFY|SELF_SIGNED|ISSUER/.test(code)) return code;
  const whose = certificate === undefined ? '' : `; it is for ${certificate}`;
  return `${code} (${sentenceOf(message)}${whose})`;
}

/** Without Node's advice on its options (`; if the root CA is installed locally, …`): pushctl has `ca_file`. */
function sentenceOf(message: unknown): string {
  return String(message).split(';', 1).join().slice(0, 100);
}
