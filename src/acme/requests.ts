import { X509Certificate } from 'node:crypto';
import { sendRequest } from '../process/bounded-request.ts';
import { isJsonObject } from '../values/json.ts';

/** No directory, order or chain is longer. */
const BOUNDS = { withinMs: 30_000, mostBytes: 256 * 1024 };

interface Asked {
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

/** The renewal window of an authority (RFC 9773); null: none. */
export interface RenewalInfo {
  readonly window: { readonly startMs: number; readonly endMs: number } | null;
  readonly retryAfterMs: number | null;
  /** The offset of its clock; null: unknown. */
  readonly clockOffMs: number | null;
}

/**
 * Asks the authority for it. `pem`: the certificate; null: only the clock is compared. Rejects if the authority cannot
 * be asked or answers something else.
 */
export async function askRenewalInfo(directory: string, pem: string | null, ca: string | null): Promise<RenewalInfo> {
  const found = await ask(directory, { method: 'GET', ca });
  const offMs = clockOffMs(found, Date.now());
  const { renewalInfo } = objectIn(found);
  const id = pem === null ? null : certificateId(pem);
  if (typeof renewalInfo !== 'string' || id === null) return { window: null, retryAfterMs: null, clockOffMs: offMs };
  const answer = await ask(`${renewalInfo.replace(/\/$/, '')}/${id}`, { method: 'GET', ca });
  const { suggestedWindow } = objectIn(answer);
  if (!isJsonObject(suggestedWindow)) throw new Error('the answer has no suggestedWindow');
  const startMs = Date.parse(String(suggestedWindow.start));
  const endMs = Date.parse(String(suggestedWindow.end));
  if (!(endMs >= startMs)) throw new Error('its suggestedWindow is not valid');
  return { window: { startMs, endMs }, retryAfterMs: retryAfterMs(answer, Date.now()), clockOffMs: offMs };
}

function objectIn({ status, text }: Answer): Record<string, unknown> {
  const value: unknown = status === 200 ? JSON.parse(text) : null;
  if (!isJsonObject(value)) throw new Error(`it answered ${status}`);
  return value;
}

/** Object identifier 2.5.29.35, authorityKeyIdentifier, in DER. */
const AUTHORITY_KEY_IDENTIFIER = Buffer.from('0603551d23', 'hex');

/**
 * Returns the certificate's name (RFC 9773, section 4.1): key identifier and serial number in base64url; null: no
 * identifier.
 */
export function certificateId(pem: string): string | null {
  const { raw, serialNumber } = new X509Certificate(pem);
  const at = raw.indexOf(AUTHORITY_KEY_IDENTIFIER);
  // OCTET STRING, SEQUENCE, [0] keyIdentifier: a byte each for kind and length.
  const [kind, , inner, , tag, length = 0, ...rest] = raw.subarray(at + AUTHORITY_KEY_IDENTIFIER.length);
  if (at < 0 || kind !== 0x04 || inner !== 0x30 || tag !== 0x80) return null;
  const digits = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const serial = Buffer.from(digits, 'hex');
  const positive = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial;
  return `${Buffer.from(rest.slice(0, length)).toString('base64url')}.${positive.toString('base64url')}`;
}
