import {
  type Entry,
  FAULT,
  OUR_BUG,
  RECALLED,
  REJECTED,
  type TableOutcome,
  UNAUTHORIZED,
  UNAVAILABLE,
  WAIT,
} from './entry.ts';

const UNCERTAIN = 'It may have arrived: a second copy replaces the first.';

/** Outcomes of faults without an answer of the provider about the push. */
export const FAULT_OUTCOMES = {
  timeout: noAnswer(FAULT, `The provider did not answer in time. ${UNCERTAIN}`, WAIT),
  connection_lost: noAnswer(FAULT, `The connection broke before the answer came. ${UNCERTAIN}`, WAIT),
  refused_stream: noAnswer(FAULT, 'The provider refused the request before looking at it.', WAIT),
  unreadable_answer: noAnswer(
    FAULT,
    `The answer was not one of the provider's: cut, or written by something in between. ${UNCERTAIN}`,
    `Where it lasts, look for a proxy between this machine and the provider. ${WAIT}`,
  ),
  not_sent: noAnswer(FAULT, 'The push was not sent: those before it took too long, or its connection has ended.', WAIT),
  recalled: noAnswer(
    RECALLED,
    'The push was not sent: while it waited for its turn, its device lost the right to it or got another address, or its workspace was suspended.',
    'Nothing to do: it ends as withdrawn, goes to the new address, or waits until the workspace is active.',
  ),
  worker_lost: noAnswer(FAULT, `The thread that was sending the push ended. ${UNCERTAIN}`, WAIT),
  connect_failed: noAnswer(
    UNAVAILABLE,
    'No connection to the provider was made. It is no fault of a device: the pushes wait.',
    'Check DNS (ENOTFOUND, EAI_AGAIN), the firewall (ETIMEDOUT, ECONNREFUSED; Apple: ports 443 or 2197) and the routes of this machine (ENETUNREACH, EHOSTUNREACH). If a certificate is not trusted, check the clock, ca_file and endpoint, and look for a proxy in between.',
  ),
  access_token_refused: noAnswer(
    UNAUTHORIZED,
    'Google refused to give an access token for the service account.',
    'Check that the key in fcm.service_account_file still exists in the Google Cloud console, and the clock of this machine.',
  ),
  access_token_unavailable: noAnswer(
    UNAVAILABLE,
    'Google’s token endpoint could not be reached, or failed.',
    'Check the network and fcm.token_endpoint. It is asked again by itself.',
  ),
  malformed_token: noAnswer(
    REJECTED,
    'The stored device token is not hexadecimal, so it cannot be one of Apple’s.',
    'Have the app register the device again.',
  ),
  unknown_push_service: noAnswer(
    REJECTED,
    'The browser’s push service is none that is known here, so nothing was sent to it.',
    'If it is one of your own, add its host to webpush.hosts. The device is kept.',
  ),
  message_refused: noAnswer(REJECTED, 'The message was refused before it was sent.', OUR_BUG),
  provider_off: noAnswer(
    UNAUTHORIZED,
    'There are no usable credentials for this provider.',
    'Run `pushctl config check`: it says what is missing. Events for its devices wait.',
  ),
  internal_error: noAnswer(FAULT, 'An error of pushctl itself ended the sending.', `${OUR_BUG} ${WAIT}`),
} as const satisfies Record<string, Entry>;

export type Fault = keyof typeof FAULT_OUTCOMES;

function noAnswer(outcome: TableOutcome, means: string, remedy: string): Entry {
  return { status: null, outcome, means, remedy };
}
