import { ECDH } from 'node:crypto';
import { isJsonObject } from '../../values/json.ts';
import { ENDPOINT_MAX_LENGTH, endpointIn, KNOWN_HOSTS, routeOfHost } from '../push-services.ts';
import { type AddressProblem, type AddressRules, type BrowserSubscription, IOS_ONLY, required } from './address.ts';

const CURVE = 'prime256v1';
const AUTH_BYTES = 16;

/** Browsers: the stored `token` is the subscription's endpoint, beside two keys. */
export const webPushAddresses: AddressRules = {
  defaultName: 'Browser',
  // Endpoints of one service share up to 63 characters: host, path, and the time in Mozilla's.
  distinctLength: 88,
  fields: ['subscription'],

  problems({ environment, tokenKind = 'token', token, app, subscription }, { pushHosts }) {
    const problems: AddressProblem[] = [];
    if (environment !== undefined) {
      problems.push({ field: 'environment', message: 'The environment field is for iOS devices only.' });
    }
    if (tokenKind !== 'token') {
      problems.push({ field: 'token_kind', message: 'The token_kind field of a browser must be token.' });
    }
    if (token !== undefined) {
      problems.push({ field: 'token', message: 'The token field is for apps only: a browser has a subscription.' });
    }
    if (app !== undefined) problems.push(IOS_ONLY);
    return [...problems, ...subscriptionProblems(subscription, pushHosts)];
  },

  /** Takes the route from the host. Stores spellings of an endpoint, such as capitals, alike. */
  stored({ subscription }) {
    if (subscription === undefined) throw new Error('an address was not checked');
    const { endpoint, keys } = subscription;
    const url = new URL(endpoint);
    return {
      route: routeOfHost(url.hostname, []) ?? 'webpush_other',
      environment: null,
      token: url.href,
      tokenKind: 'token',
      keys: JSON.stringify({ p256dh: canonical(keys.p256dh), auth: canonical(keys.auth) }),
    };
  },

  pushService: (token) => new URL(token).hostname,
  app: () => null,

  given: ({ token, keys }) => ({
    subscription: { endpoint: token, keys: JSON.parse(keys ?? '{}') as BrowserSubscription['keys'] },
  }),
};

function subscriptionProblems(subscription: unknown, pushHosts: readonly string[]): readonly AddressProblem[] {
  if (subscription === undefined) return [required('subscription')];
  if (!isJsonObject(subscription)) {
    return [wrong('subscription', 'an object with endpoint and keys, as PushSubscription.toJSON() gives it')];
  }
  return [...endpointProblems(subscription.endpoint, pushHosts), ...keysProblems(subscription.keys)];
}

function endpointProblems(endpoint: unknown, pushHosts: readonly string[]): readonly AddressProblem[] {
  const field = 'subscription.endpoint';
  const url = endpointIn(endpoint);
  if (url === null) {
    const rule = `an https address of at most ${ENDPOINT_MAX_LENGTH} characters, without user name, port and fragment`;
    return [wrong(field, rule)];
  }
  if (routeOfHost(url.hostname, pushHosts) !== null) return [];
  return [wrong(field, `at a known push service: ${KNOWN_HOSTS}, or a host that the operator adds to webpush.hosts`)];
}

/** Checks the keys: push services accept wrong ones, but browsers then fail on every push. */
function keysProblems(keys: unknown): readonly AddressProblem[] {
  const field = 'subscription.keys';
  if (!isJsonObject(keys)) return [wrong(field, 'an object with p256dh and auth')];
  const problems: AddressProblem[] = [];
  if (!isPoint(bytesIn(keys.p256dh))) {
    const rule = 'a point on the curve P-256 in base64url (65 bytes, starting with 4)';
    problems.push(wrong(`${field}.p256dh`, rule));
  }
  if (bytesIn(keys.auth)?.length !== AUTH_BYTES) {
    problems.push(wrong(`${field}.auth`, `a secret of ${AUTH_BYTES} bytes in base64url`));
  }
  return problems;
}

function wrong(field: string, rule: string): AddressProblem {
  return { field, message: `The ${field} field must be ${rule}.` };
}

/** Accepts padding, which some clients add. */
function bytesIn(text: unknown): Buffer | null {
  return typeof text === 'string' && /^[\w-]{1,200}={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}

function isPoint(bytes: Buffer | null): boolean {
  if (bytes?.length !== 65 || bytes[0] !== 4) return false;
  try {
    // Throws for points off the curve.
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}

function canonical(key: string): string {
  return Buffer.from(key, 'base64url').toString('base64url');
}
