/**
 * Returns the `href` of a link to an address of ours; null: the address is not ours. The origin is left out, so that
 * the router shows a page of the app. If the path names a host, as `//evil.example/` does, the origin stays.
 */
export function hrefOfOwn(address: string, origin: string): string | null {
  if (!URL.canParse(address)) return null;
  const { href, origin: addressOrigin } = new URL(address);
  if (addressOrigin !== origin) return null;
  const path = href.slice(origin.length);
  return URL.canParse(path, origin) && new URL(path, origin).href === href ? path : href;
}
