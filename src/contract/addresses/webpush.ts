import { ECDH } from 'node:crypto';
import { ENDPOINT_MAX_LENGTH, endpointIn, routeOfHost } from '../push-services.ts';
import type { AddressProblem, AddressRules, DeviceAddress } from './address.ts';

const CURVE = 'prime256v1';
const AUTH_BYTES = 16;

/**
 * Browsers: the endpoint of a push subscription as `token`, and its two keys, as `PushSubscription.toJSON()` has them.
 * https://www.w3.org/TR/push-api/#pushsubscription-interface
 */
export const webPushAddresses: AddressRules = {
  defaultName: 'Browser',
  fields: ['token', 'keys', 'token_kind', 'environment'],

  problems({ environment, tokenKind = 'token', token, keys }, { pushHosts }) {
    const problems: AddressProblem[] = [];
    if (environment !== undefined) {
      problems.push({ field: 'environment', message: 'The environment field is for iOS devices only.' });
    }
    if (tokenKind !== 'token') {
      problems.push({ field: 'token_kind', message: 'The token_kind field of a browser must be token.' });
    }
    const wrongToken = endpointProblem(token, pushHosts);
    if (wrongToken !== null) problems.push({ field: 'token', message: wrongToken });
    const wrongKeys = keysProblem(keys);
    if (wrongKeys !== null) problems.push({ field: 'keys', message: wrongKeys });
    return problems;
  },

  /** The route follows from the host. Two spellings of one endpoint, such as in capitals, are stored alike. */
  stored({ token, keys = {} }) {
    const url = new URL(token);
    return {
      route: routeOfHost(url.hostname, []) ?? 'webpush_other',
      environment: null,
      token: url.href,
      tokenKind: 'token',
      keys: JSON.stringify({ p256dh: canonical(keys.p256dh), auth: canonical(keys.auth) }),
    };
  },
};

function endpointProblem(token: unknown, pushHosts: readonly string[]): string | null {
  const url = endpointIn(token);
  if (url === null) {
    const rule = `an https address of at most ${ENDPOINT_MAX_LENGTH} characters, without user name, port and fragment`;
    return `The token field of a browser must be the endpoint of its push subscription: ${rule}.`;
  }
  if (routeOfHost(url.hostname, pushHosts) !== null) return null;
  const host = url.hostname.slice(0, 100);
  return `The token field names ${host}, which is no push service of a browser that is known here; an operator may add it to webpush.hosts.`;
}

/** A wrong key would not be noticed by any push service, and fail in the browser at every push. */
function keysProblem(keys: DeviceAddress['keys']): string | null {
  const { p256dh, auth } = (typeof keys === 'object' && keys !== null ? keys : {}) as Readonly<Record<string, unknown>>;
  if (!isPoint(bytesIn(p256dh))) {
    return 'The keys field must have p256dh, a point on the curve P-256 in base64url: 65 bytes, the first of them 4.';
  }
  if (bytesIn(auth)?.length !== AUTH_BYTES) {
    return `The keys field must have auth, a secret of ${AUTH_BYTES} bytes in base64url.`;
  }
  return null;
}

/** Some clients pad what `toJSON()` leaves without. */
function bytesIn(text: unknown): Buffer | null {
  return typeof text === 'string' && /^[\w-]{1,200}={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}

function isPoint(bytes: Buffer | null): boolean {
  if (bytes?.length !== 65 || bytes[0] !== 4) return false;
  try {
    // Throws for a point that is not on the curve.
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}

function canonical(key: string | undefined): string {
  return Buffer.from(key ?? '', 'base64url').toString('base64url');
}
