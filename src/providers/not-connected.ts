import type { CertificateError } from '../process/bounded-request.ts';

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
