import { sendRequest } from '../process/bounded-request.ts';

/** No directory, order or chain is longer. */
const BOUNDS = { withinMs: 30_000, mostBytes: 256 * 1024 };

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

/** Asks an authority. Rejects with an error that has a `code`. */
export async function ask(url: string, { ca, ...asked }: Asked): Promise<Answer> {
  const { status, headers, body } = await sendRequest(url, { ...asked, ...BOUNDS, ...(ca !== null && { ca }) });
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(texts), text: body.toString('utf8') };
}

/** Parses seconds or a date (RFC 9110, section 10.2.3) to ms; null: neither. */
export function retryAfterMs({ headers }: Pick<Answer, 'headers'>, nowMs: number): number | null {
  const text = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Returns how far the authority's clock is ahead; null: unknown. */
export function clockOffMs({ headers }: Pick<Answer, 'headers'>, nowMs: number): number | null {
  // Caches keep the original date (RFC 9111, section 5.1).
  const theirs = Date.parse(headers.date ?? '') + 1_000 * (Number(headers.age) || 0);
  return Number.isNaN(theirs) ? null : theirs - nowMs;
}
