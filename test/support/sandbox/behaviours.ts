import type { Route } from '../../../src/push.ts';
import { APNS_WORDS } from '../../../src/sandbox/apns/token.ts';
import type { RefusalWords } from '../../../src/sandbox/faults.ts';
import { FCM_WORDS } from '../../../src/sandbox/fcm/token.ts';
import { SERVICES } from '../../../src/sandbox/webpush/table.ts';
import type { OneAnswer, TestAnswer } from './answers.ts';

/** One device's way to answer, by name; its place is the number that stands for it in a token. */
export const BEHAVIOURS = [
  'accept',
  'slow', // parameter: milliseconds
  'unregistered',
  'expired',
  'bad_token',
  'foreign', // a token of another app (APNs) or project (FCM)
  'too_many', // parameter: Retry-After in seconds, 0: none
  'internal_error',
  'unavailable', // parameter: Retry-After in seconds, 0: none
  'shutdown',
  'reset',
  'silent',
  'hang_up',
  'cut',
  'drip', // parameter: milliseconds between bytes
  'garbage',
  'empty',
  'html',
  'goaway',
  'goaway_twice',
  'flapping', // 503 and acceptance in turn
  'endless',
  'bomb',
] as const;
export type BehaviourName = (typeof BEHAVIOURS)[number];

/** The word with which a provider refuses by each of these behaviours. */
interface Words extends RefusalWords {
  readonly expired: string;
  readonly bad_token: string;
  readonly foreign: string;
  readonly unavailable: string;
  readonly shutdown: string;
}

const APNS: Words = {
  ...APNS_WORDS,
  expired: 'ExpiredToken',
  bad_token: 'BadDeviceToken',
  foreign: 'DeviceTokenNotForTopic',
  unavailable: 'ServiceUnavailable',
  shutdown: 'Shutdown',
};
const WORDS: Readonly<Record<Route, Words>> = {
  apns_production: APNS,
  apns_sandbox: APNS,
  fcm: {
    ...FCM_WORDS,
    expired: 'UNREGISTERED',
    bad_token: 'INVALID_ARGUMENT',
    foreign: 'SENDER_ID_MISMATCH',
    unavailable: 'UNAVAILABLE',
    shutdown: 'UNAVAILABLE',
  },
  webpush_mozilla: {
    ...SERVICES.webpush_mozilla.words,
    expired: 'UAID not found',
    bad_token: 'Invalid token',
    foreign: 'VAPID public key mismatch',
    unavailable: 'Database error while saving notification',
    shutdown: 'Error while connecting to bridge service',
  },
  webpush_google: {
    ...SERVICES.webpush_google.words,
    expired: SERVICES.webpush_google.words.unregistered,
    bad_token:
      'A valid push subscription endpoint should be specified in the URL as such: https://fcm.googleapis.com/wp/dHIoDxE7Hdg:APA91bH1Zj0kNa',
    foreign:
      'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.',
    unavailable: 'Service unavailable',
    shutdown: 'Service unavailable',
  },
  webpush_apple: {
    ...SERVICES.webpush_apple.words,
    expired: 'ExpiredToken',
    bad_token: 'BadPath',
    foreign: 'VapidPkHashMismatch',
    unavailable: 'ServiceUnavailable',
    shutdown: 'Shutdown',
  },
  webpush_microsoft: {
    ...SERVICES.webpush_microsoft.words,
    expired: 'The channel expired.',
    bad_token: 'The channel is not valid.',
    foreign: 'The key does not match the channel.',
    unavailable: 'Service unavailable.',
    shutdown: 'Service unavailable.',
  },
  webpush_other: {
    ...SERVICES.webpush_other.words,
    expired: 'Gone',
    bad_token: 'Not Found',
    foreign: 'Forbidden',
    unavailable: 'Service Unavailable',
    shutdown: 'Service Unavailable',
  },
};

/** The meaning of a behaviour on this route. */
export function answerOf(name: BehaviourName, parameter: number, route: Route): TestAnswer {
  const refuse = (behaviour: keyof Words, retryAfterS = 0): OneAnswer => ({
    kind: 'refuse',
    reason: WORDS[route][behaviour],
    ...(retryAfterS > 0 && { retryAfterS }),
  });
  switch (name) {
    case 'accept':
      return { kind: 'accept' };
    case 'slow':
      return { kind: 'accept', afterMs: parameter };
    case 'unregistered':
    case 'expired':
    case 'bad_token':
    case 'foreign':
    case 'internal_error':
    case 'shutdown':
      return refuse(name);
    case 'too_many':
    case 'unavailable':
      return refuse(name, parameter);
    case 'drip':
      return { kind: 'drip', everyMs: parameter };
    case 'goaway':
      return { kind: 'goaway', twice: false };
    case 'goaway_twice':
      return { kind: 'goaway', twice: true };
    case 'flapping':
      return { kind: 'alternate', answers: [refuse('unavailable'), { kind: 'accept' }] };
    default:
      return { kind: name };
  }
}
