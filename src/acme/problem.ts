import type { AcmeSettings } from '../config/config.ts';

/** Why there is no new certificate, as JSON. */
export interface AcmeProblem {
  /** The authority's words, or why it was not asked. */
  readonly sentence: string;
  /** The type (RFC 8555, section 6.7) without prefix: `rateLimited`. Without an answer: an error's code. */
  readonly type: string | null;
  /** How long the authority asks to wait; null: not given. */
  readonly retryAfterMs: number | null;
}

const LONGEST_SENTENCE = 500;
const CERTIFICATE_CODES = /^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_)/;
const RETRY_AT_ONCE = 'then retry at once: systemctl reload pushctl';

/** Puts a foreign text on one line, for terminals and logs. */
export function sentenceOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > LONGEST_SENTENCE ? `${line.slice(0, LONGEST_SENTENCE)}…` : line;
}

/** Returns the authority's familiar name: its directory's host. */
export function authorityOf({ directory }: Pick<AcmeSettings, 'directory'>): string {
  return new URL(directory).host;
}

export function adviceOn({ type }: AcmeProblem, settings: AcmeSettings): string {
  const { domains } = settings;
  const names = domains.join(', ');
  switch (type) {
    case 'dns':
      return `point the DNS records (A and AAAA) of ${names} at this machine, ${RETRY_AT_ONCE}`;
    case 'caa':
      return `allow this authority in the CAA records of ${names}, ${RETRY_AT_ONCE}`;
    case 'connection':
    case 'tls':
    case 'unauthorized':
    case 'incorrectResponse':
      return `make port 443 of ${names} reach this server (and port 80, if pushctl-http.socket holds it): open firewalls, and remove proxies that terminate TLS, ${RETRY_AT_ONCE}`;
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
    case 'invalidContact':
    case 'unsupportedContact':
    case 'externalAccountRequired':
      return 'change [tls.acme], then restart the service';
    case 'rateLimited':
      return 'nothing to do: pushctl asks again as soon as the authority allows it';
    case 'CERT_NOT_YET_VALID':
    case 'CERT_HAS_EXPIRED':
      return `set the clock of this machine: timedatectl set-ntp true, ${RETRY_AT_ONCE}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `free some disk space, ${RETRY_AT_ONCE}`;
    case 'EACCES':
    case 'EROFS':
      return `allow the user of the service to write there, ${RETRY_AT_ONCE}`;
    default:
      return CERTIFICATE_CODES.test(type ?? '')
        ? `if the authority is your own, set tls.acme.ca_file to the CA of its certificate; ${RETRY_AT_ONCE}`
        : `check that this machine can reach ${authorityOf(settings)}; pushctl retries by itself, or at once after: systemctl reload pushctl`;
  }
}
