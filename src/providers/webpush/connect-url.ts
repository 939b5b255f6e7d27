import type { WebPushSettings } from './credentials.ts';

/** Where to connect to for a host: to itself, or to what the configuration names instead. */
export function connectUrl({ endpoints }: Pick<WebPushSettings, 'endpoints'>, host: string): URL {
  const origin = `https://${host}`;
  return new URL(endpoints[origin] ?? origin);
}
