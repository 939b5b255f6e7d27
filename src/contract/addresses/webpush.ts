import { ECDH } from 'node:crypto';
import { isJsonObject } from '../../values/json.ts';
import { type FieldProblem, fieldProblem } from '../details.ts';
import { ENDPOINT_MAX_LENGTH, endpointIn, KNOWN_HOSTS, routeOfHost } from '../push-services.ts';
import type { AddressRules, BrowserSubscription } from './address.ts';

const CURVE = 'prime256v1';
const AUTH_BYTES = 16;

/** Browsers: the stored `token` is the subscription's endpoint, beside two keys. */
export const webPushAddresses: AddressRules = {
  defaultName: 'Browser',
  // Endpoints of one service share up to 63 characters: host, path, and the time in Mozilla's.
  distinctLength: 88,
  fields: ['subscription'],

  problems({ environment, tokenKind = 'token', token, app, subscription }, { pushHosts }) {
    const problems: FieldProblem[] = [];
    if (environment !== undefined) {
      problems.push(fieldProblem('environment', 'ios_only'));
    }
    if (tokenKind !== 'token') {
      problems.push(fieldProblem('token_kind', 'token_kind'));
    }
    if (token !== undefined) {
      problems.push(fieldProblem('token', 'apps_only'));
    }
    if (app !== undefined) problems.push(fieldProblem('app', 'ios_only'));
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

function subscriptionProblems(subscription: unknown, pushHosts: readonly string[]): readonly FieldProblem[] {
  if (subscription === undefined) return [fieldProblem('subscription', 'required')];
  if (!isJsonObject(subscription)) return [fieldProblem('subscription', 'subscription')];
  return [...endpointProblems(subscription.endpoint, pushHosts), ...keysProblems(subscription.keys)];
}

function endpointProblems(endpoint: unknown, pushHosts: readonly string[]): readonly FieldProblem[] {
  const field = 'subscription.endpoint';
  const url = endpointIn(endpoint);
  if (url === null) return [fieldProblem(field, 'endpoint', { most: ENDPOINT_MAX_LENGTH })];
  if (routeOfHost(url.hostname, pushHosts) !== null) return [];
  return [fieldProblem(field, 'push_service', { hosts: KNOWN_HOSTS })];
}

/** Checks the keys: push services accept wrong ones, but browsers then fail on every push. */
function keysProblems(keys: unknown): readonly FieldProblem[] {
  const field = 'subscription.keys';
  if (!isJsonObject(keys)) return [fieldProblem(field, 'subscription_keys')];
  const problems: FieldProblem[] = [];
  if (!isPoint(bytesIn(keys.p256dh))) problems.push(fieldProblem(`${field}.p256dh`, 'p256dh'));
  if (bytesIn(keys.auth)?.length !== AUTH_BYTES)
    problems.push(fieldProblem(`${field}.auth`, 'auth', { most: AUTH_BYTES }));
  return problems;
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
