/** Private top-level names: RFC 2606, 6761, 6762, 8375, and those of routers and companies. */
const PRIVATE = ['local', 'localhost', 'internal', 'lan', 'home.arpa', 'test', 'example', 'invalid'];
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Returns whether push services accept the contact (`sub`, RFC 8292 section 2.1): `mailto:` or https. Apple answers
 * BadJwtToken for hosts that cannot be public, such as `mailto:admin@localhost`:
 * https://github.com/web-push-libs/web-push/issues/947
 */
export function isPublicContact(text: string): boolean {
  const host = hostIn(text);
  return host !== null && isPublicDomain(host);
}

/** Returns whether a lower-case, dotted host name (no IP address) can be public. */
export function isPublicDomain(host: string): boolean {
  return isDomain(host) && !PRIVATE.some((name) => host.endsWith(`.${name}`));
}

/** Accepts private names as well. */
export function isDomain(host: string): boolean {
  return host.length <= 253 && DOMAIN.test(host);
}

function hostIn(text: string): string | null {
  const mail = /^mailto:[\x21-\x3f\x41-\x7e]{1,64}@([^@?\s]+)$/i.exec(text);
  if (mail !== null) return (mail[1] ?? '').toLowerCase();
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { hostname, username, password } = new URL(text);
  return username === '' && password === '' ? hostname : null;
}
