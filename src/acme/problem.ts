import type { AcmeSettings } from '../config/config.ts';

/** Why there is no new certificate. A JSON value. */
export interface AcmeProblem {
  /** The certificate authority's own words, or what kept from asking it. */
  readonly sentence: string;
  /** The type of RFC 8555, section 6.7, without its prefix: `rateLimited`. If there was no answer: an error's code. */
  readonly type: string | null;
  /** How long the authority wants to be left alone; null: it does not say. */
  readonly retryAfterMs: number | null;
}

const LONGEST_SENTENCE = 500;
const CERTIFICATE_CODES = /^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_)/;
const RETRY_AT_ONCE = 'then, to try at once: systemctl reload pushctl';

/** On one line, as what another machine says goes to terminals and logs. */
export function sentenceOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > LONGEST_SENTENCE ? `${line.slice(0, LONGEST_SENTENCE)}…` : line;
}

/** The authority as a person knows it: the host of its directory. */
export function authorityOf({ directory }: Pick<AcmeSettings, 'directory'>): string {
  return new URL(directory).host;
}

/** Returns the advice for the operator. */
export function adviceOn({ type }: AcmeProblem, settings: AcmeSettings): string {
  const { domains } = settings;
  const names = domains.join(', ');
  switch (type) {
    case 'dns':
      return `let the addresses (A and AAAA) of ${names} in the DNS be this machine's, ${RETRY_AT_ONCE}`;
    case 'caa':
      return `let the CAA records of ${names} in the DNS allow this authority, ${RETRY_AT_ONCE}`;
    case 'connection':
    case 'tls':
    case 'unauthorized':
    case 'incorrectResponse':
      return `let port 443 of ${names} (and 80, where pushctl-http.socket has it) lead to this server, past firewalls and with no proxy that does TLS itself between, ${RETRY_AT_ONCE}`;
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
    case 'invalidContact':
    case 'unsupportedContact':
    case 'externalAccountRequired':
      return 'change [tls.acme], and restart the service';
    case 'rateLimited':
      return 'nothing has to be done: it is asked again once it allows that';
    case 'CERT_NOT_YET_VALID':
    case 'CERT_HAS_EXPIRED':
      return `see whether this machine's clock is right, timedatectl set-ntp true, ${RETRY_AT_ONCE}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `free some space, ${RETRY_AT_ONCE}`;
    case 'EACCES':
    case 'EROFS':
      return `let the user of the service write there, ${RETRY_AT_ONCE}`;
    default:
      return CERTIFICATE_CODES.test(type ?? '')
        ? `for an authority of your own, name the CA of its certificate in tls.acme.ca_file; ${RETRY_AT_ONCE}`
        : `let this machine reach ${authorityOf(settings)}; it is asked again by itself, or at once by: systemctl reload pushctl`;
  }
}
