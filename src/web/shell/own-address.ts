/**
 * What a link has to have as `href` to lead to an address of ours; null where it is none. The path alone, which the
 * router takes for a page of the app, unless that would lead elsewhere: the path `//evil.example/` names a host.
 */
export function hrefOfOwn(address: string, origin: string): string | null {
  if (!URL.canParse(address)) return null;
  const { href, origin: its } = new URL(address);
  if (its !== origin) return null;
  const path = href.slice(origin.length);
  return URL.canParse(path, origin) && new URL(path, origin).href === href ? path : href;
}
