/** The push services of browsers, by the hosts of their endpoints. */
import type { PROVIDERS } from '../push.ts';

export type WebPushRoute = (typeof PROVIDERS)['webpush']['routes'][number];

/** RFC 8030 sets no limit; the longest endpoints seen have some 400 characters. */
export const ENDPOINT_MAX_LENGTH = 2048;

/** Chromium builds without Google's keys, such as those of Linux distributions, get endpoints at jmt17.google.com. */
const HOSTS: Readonly<Record<string, WebPushRoute>> = {
  'fcm.googleapis.com': 'webpush_google',
  'jmt17.google.com': 'webpush_google',
};
/** With the dot before it, so that no look-alike ends in one. */
const DOMAINS: Readonly<Record<string, WebPushRoute>> = {
  '.push.services.mozilla.com': 'webpush_mozilla',
  '.push.apple.com': 'webpush_apple',
  '.notify.windows.com': 'webpush_microsoft',
};

/** The known hosts, for people. */
export const KNOWN_HOSTS = [...Object.keys(HOSTS), ...Object.keys(DOMAINS).map((end) => `*${end}`)].join(', ');

/**
 * The endpoint of a push subscription, parsed; null: it is none, whatever its host. A secret: who has it can push to
 * the browser. The client that registers chooses it, so nothing is sent to a host that `routeOfHost` has not passed.
 */
export function endpointIn(text: unknown): URL | null {
  if (typeof text !== 'string' || text.length > ENDPOINT_MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.port === '' && url.hash === '';
  return isPlain && url.username === '' && url.password === '' ? url : null;
}

/** `hostname`: of a parsed address, so in lower case. `added`: hosts of the operator's. null: no push service's. */
export function routeOfHost(hostname: string, added: readonly string[]): WebPushRoute | null {
  const known = knownRoute(hostname);
  if (known !== null) return known;
  return added.includes(hostname) ? 'webpush_other' : null;
}

/** https://www.rfc-editor.org/rfc/rfc1123#section-2.1; a name of 253 characters is the longest that can be looked up. */
const DNS_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function knownRoute(hostname: string): WebPushRoute | null {
  if (!DNS_NAME.test(hostname)) return null;
  if (Object.hasOwn(HOSTS, hostname)) return HOSTS[hostname] ?? null;
  const domain = Object.keys(DOMAINS).find((end) => hostname.endsWith(end));
  return domain === undefined ? null : (DOMAINS[domain] ?? null);
}
