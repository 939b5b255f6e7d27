/** The deciding fields of a request. */
interface Asked {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}

/**
 * Returns how the worker answers: `page` from server, else cache; `asset` from cache; null: not at all. API, reference
 * and other servers never come from a cache.
 */
export function cachedAs({ method, mode, url }: Asked, origin: string): 'page' | 'asset' | null {
  const address = new URL(url);
  if (method !== 'GET' || address.origin !== origin) return null;
  if (address.pathname.startsWith('/api/') || address.pathname === '/docs') return null;
  if (mode === 'navigate') return 'page';
  return address.pathname.startsWith('/assets/') ? 'asset' : null;
}
