/** Shows our page without a reload: the router listens for link clicks. */
export function goTo(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  document.body.append(link);
  link.click();
  link.remove();
}

/**
 * Returns a link's `href` to our address; null: not ours. Omits the origin for the router, unless the path names a host
 * (`//evil.example/`).
 */
export function hrefOfOwn(address: string, origin: string): string | null {
  if (!URL.canParse(address)) return null;
  const { href, origin: addressOrigin } = new URL(address);
  if (addressOrigin !== origin) return null;
  const path = href.slice(origin.length);
  return URL.canParse(path, origin) && new URL(path, origin).href === href ? path : href;
}
