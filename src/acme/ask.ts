import { request } from 'node:https';
import { USER_AGENT } from '../process/package.ts';

const DEADLINE_MS = 30_000;
/** No directory, order or chain is longer. */
const MAX_BYTES = 256 * 1024;

const TOO_LATE = Object.assign(new Error('no answer within 30 s'), { code: 'ETIMEDOUT' });

export interface Asked {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of the CA to trust instead of the system's. */
  readonly ca: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One request to a certificate authority. Rejects with an error that has a `code`. */
export function ask(url: string, { method, headers = {}, body, ca }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      method,
      headers: { 'User-Agent': USER_AGENT, ...headers },
      signal: AbortSignal.timeout(DEADLINE_MS),
      agent: false,
      ...(ca !== null && { ca }),
    });
    asking.once('error', (error) =>
      reject(error.name === 'AbortError' || error.name === 'TimeoutError' ? TOO_LATE : error),
    );
    asking.once('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes <= MAX_BYTES) parts.push(part);
        else response.destroy(Object.assign(new Error('answers too much'), { code: 'EMSGSIZE' }));
      });
      response.once('error', reject);
      response.once('end', () => {
        const texts = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(texts), text });
      });
    });
    asking.end(body);
  });
}

/** Seconds, or a date (RFC 9110, section 10.2.3), in milliseconds; null: neither. */
export function retryAfterMs({ headers }: Pick<Answer, 'headers'>, nowMs: number): number | null {
  const text = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** By how much the authority's clock is ahead of this one's; null: it does not say. */
export function clockOffMs({ headers }: Pick<Answer, 'headers'>, nowMs: number): number | null {
  const theirs = Date.parse(headers.date ?? '');
  return Number.isNaN(theirs) ? null : theirs - nowMs;
}
