/** Top-level names that lead nowhere from outside: RFC 2606, 6761, 6762, 8375, and what routers and companies use. */
const PRIVATE = ['local', 'localhost', 'internal', 'lan', 'home.arpa', 'test', 'example', 'invalid'];
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Whether push services take it as the contact of who sends (`sub`, RFC 8292 section 2.1): `mailto:` or an https
 * address. Apple answers BadJwtToken to one at a host that cannot be public, such as `mailto:admin@localhost`, where
 * others take it: https://github.com/web-push-libs/web-push/issues/947
 */
export function isPublicContact(text: string): boolean {
  const host = hostIn(text);
  return host !== null && isPublicDomain(host);
}

/** A host name with a dot in it that can stand in the public DNS; no IP address. In lower case. */
export function isPublicDomain(host: string): boolean {
  return isDomain(host) && !PRIVATE.some((name) => host.endsWith(`.${name}`));
}

/** The same, also of names that are known to a network of one's own. */
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
