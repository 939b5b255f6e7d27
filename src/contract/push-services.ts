import type { PROVIDERS } from '../push.ts';

export type WebPushRoute = (typeof PROVIDERS)['webpush']['routes'][number];

/** RFC 8030 has no limit; the longest seen have 400 characters. */
export const ENDPOINT_MAX_LENGTH = 2048;

/** Linux distributions' Chromium, without Google's keys, uses jmt17.google.com. */
const HOSTS: Readonly<Record<string, WebPushRoute>> = {
  'fcm.googleapis.com': 'webpush_google',
  'jmt17.google.com': 'webpush_google',
};
/** The dot excludes look-alikes. */
const DOMAINS: Readonly<Record<string, WebPushRoute>> = {
  '.push.services.mozilla.com': 'webpush_mozilla',
  '.push.apple.com': 'webpush_apple',
  '.notify.windows.com': 'webpush_microsoft',
};

export const KNOWN_HOSTS = [...Object.keys(HOSTS), ...Object.keys(DOMAINS).map((end) => `*${end}`)].join(', ');

/**
 * Returns the parsed endpoint, whatever host; null: none. It is secret, as its holder can push. The client chose it, so
 * send only to hosts that `routeOfHost` accepts.
 */
export function endpointIn(text: unknown): URL | null {
  if (typeof text !== 'string' || text.length > ENDPOINT_MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.port === '' && url.hash === '';
  return isPlain && url.username === '' && url.password === '' ? url : null;
}

/** Returns the route. `hostname`: parsed, lower case. `added`: the operator's hosts. Null: no push service. */
export function routeOfHost(hostname: string, added: readonly string[]): WebPushRoute | null {
  const known = knownRoute(hostname);
  if (known !== null) return known;
  return added.includes(hostname) ? 'webpush_other' : null;
}

/** https://www.rfc-editor.org/rfc/rfc1123#section-2.1; look-ups allow 253 characters. */
const DNS_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function knownRoute(hostname: string): WebPushRoute | null {
  if (!DNS_NAME.test(hostname)) return null;
  if (Object.hasOwn(HOSTS, hostname)) return HOSTS[hostname] ?? null;
  const domain = Object.keys(DOMAINS).find((end) => hostname.endsWith(end));
  return domain === undefined ? null : (DOMAINS[domain] ?? null);
}
