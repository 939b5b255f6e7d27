/** As much of a request as decides. */
interface Asked {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}

/**
 * How the worker answers: a page from the server or, without it, as it was; an asset as it was kept; null: not at all.
 * The API and its reference are never answered from a cache, nor are addresses of other servers.
 */
export function cachedAs({ method, mode, url }: Asked, origin: string): 'page' | 'asset' | null {
  const address = new URL(url);
  if (method !== 'GET' || address.origin !== origin) return null;
  if (address.pathname.startsWith('/api/') || address.pathname === '/docs') return null;
  if (mode === 'navigate') return 'page';
  return address.pathname.startsWith('/assets/') ? 'asset' : null;
}
