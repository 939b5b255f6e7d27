import type { Outcome } from '../push.ts';
import {
  BUSY,
  type Entry,
  FAULT,
  OUR_BUG,
  type OutcomeTable,
  RECALLED,
  REJECTED,
  type TableOutcome,
  UNAUTHORIZED,
  UNAVAILABLE,
  WAIT,
  withReason,
} from './outcomes/entry.ts';

/** A provider's HTTP answer. `reason`: verbatim. `atMs`: the token's death, Unix time. */
export interface ProviderAnswer {
  readonly status: number;
  readonly reason: string | null;
  readonly atMs?: number;
  readonly retryAfterS?: number;
}

/** No fault has a push accepted. */
export type Failed = Exclude<Outcome, { readonly kind: 'accepted' }>;

/**
 * Returns an answer's outcome. Reasons count only with their documented status: no undocumented answer ends a token.
 * Others fall back to the status's class.
 */
export function outcomeOf(table: OutcomeTable, answer: ProviderAnswer): Outcome {
  const { reason, status } = answer;
  const known = reason !== null && Object.hasOwn(table.entries, reason) ? table.entries[reason] : undefined;
  const isAsDocumented = known?.status === status || known?.otherStatus === status;
  if (known && reason !== null && isAsDocumented) return withReason(known.outcome, reason, answer);
  return withReason(byStatus(table, status), nameOf(answer), answer);
}

export function outcomeOfFault(fault: Fault): Failed {
  return withReason(FAULT_OUTCOMES[fault].outcome, fault) as Failed;
}

/** Returns the outcome of a failed connection. `words`: the system's. */
export function notConnected(words: string): Failed {
  return { kind: 'unavailable', reason: 'connect_failed', words };
}

/** Judges undocumented answers. Any 2xx is a yes: a retry would show the push twice. Only the table ends tokens. */
export function byStatus(table: OutcomeTable, status: number): TableOutcome {
  const own = table.byStatus?.[status];
  if (own !== undefined) return own;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status >= 500 || status === 408 || status === 425 || status === 429) return BUSY;
  if (status === 401 || status === 403 || status === 407) return UNAUTHORIZED;
  return status >= 400 ? REJECTED : FAULT;
}

/** Returns `http_502`, or a new word; free text could bring anything into the database. */
function nameOf({ reason, status }: ProviderAnswer): string {
  return reason !== null && /^\w{1,60}$/.test(reason) ? reason : `http_${status}`;
}

const UNCERTAIN = 'The push may have arrived: a second copy replaces the first.';

/** Faults without a provider's answer. */
export const FAULT_OUTCOMES = {
  timeout: noAnswer(FAULT, `The provider did not answer in time. ${UNCERTAIN}`, WAIT),
  connection_lost: noAnswer(FAULT, `The connection broke before the answer came. ${UNCERTAIN}`, WAIT),
  refused_stream: noAnswer(FAULT, 'The provider refused the request without processing it.', WAIT),
  unreadable_answer: noAnswer(
    FAULT,
    `The answer did not come from the provider: it was cut off, or something in between wrote it. ${UNCERTAIN}`,
    `If it continues, look for a proxy between this machine and the provider. ${WAIT}`,
  ),
  not_sent: noAnswer(FAULT, 'The push was not sent: earlier pushes took too long, or its connection ended.', WAIT),
  recalled: noAnswer(
    RECALLED,
    'The push was not sent: while it waited, its device lost the right to it or got another address, or its workspace was suspended.',
    'Nothing to do: the push is withdrawn, goes to the new address, or waits until the workspace is active.',
  ),
  worker_lost: noAnswer(FAULT, `The thread that was sending the push ended. ${UNCERTAIN}`, WAIT),
  connect_failed: noAnswer(
    UNAVAILABLE,
    'The server could not connect to the provider. No device is at fault, and the pushes wait.',
    'Check DNS (ENOTFOUND, EAI_AGAIN), the firewall (ETIMEDOUT, ECONNREFUSED; Apple: ports 443 or 2197) and the routes of this machine (ENETUNREACH, EHOSTUNREACH). If a certificate is not trusted, check the clock, ca_file and endpoint, and look for a proxy.',
  ),
  access_token_refused: noAnswer(
    UNAUTHORIZED,
    'Google refused to give an access token for the service account.',
    'Check the clock of this machine, and that the key in fcm.service_account_file still exists in the Google Cloud console.',
  ),
  access_token_unavailable: noAnswer(
    UNAVAILABLE,
    'Google’s token endpoint could not be reached, or failed.',
    'Check the network and fcm.token_endpoint. The server retries by itself.',
  ),
  malformed_token: noAnswer(
    REJECTED,
    'The stored device token is not hexadecimal, so it cannot be one of Apple’s.',
    'Let the app register the device again.',
  ),
  unknown_push_service: noAnswer(
    REJECTED,
    'This server does not know the push service of the browser, so it sent nothing.',
    'If the push service is your own, add its host to webpush.hosts. The device is kept.',
  ),
  message_refused: noAnswer(REJECTED, 'The message was refused before it was sent.', OUR_BUG),
  provider_off: noAnswer(
    UNAUTHORIZED,
    'There are no usable credentials for this provider.',
    'Run `pushctl config check` to see what is missing. Events for devices of this provider wait.',
  ),
  internal_error: noAnswer(FAULT, 'An error in pushctl itself stopped the push.', `${OUR_BUG} ${WAIT}`),
} as const satisfies Record<string, Entry>;

export type Fault = keyof typeof FAULT_OUTCOMES;

function noAnswer(outcome: TableOutcome, means: string, remedy: string): Entry {
  return { status: null, outcome, means, remedy };
}
