import { type Clock, systemClock } from '../clock.ts';
import type { Route } from '../push.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import type { SendLimits } from './sending.ts';

/** The provider of a route; null where it is not configured. Rejects for credentials that credentials.ts would not pass. */
export async function createProvider(
  route: Route,
  settings: ProviderSettings,
  limits: Partial<SendLimits> = {},
  clock: Clock = systemClock(),
): Promise<Provider | null> {
  switch (route) {
    case 'apns_production':
    case 'apns_sandbox':
      if (!settings.apns) return null;
      return (await loadApns()).createApnsProvider(route, settings.apns, clock, limits);
    case 'fcm':
      if (!settings.fcm) return null;
      return (await loadFcm()).createFcmProvider(settings.fcm, clock, limits);
  }
}

/**
 * Loads what the configured providers need, so that no push waits for it, and none meets files that an upgrade has replaced
 * meanwhile. Apple's library and Google's take some 10 MB each in a thread: one that is not configured stays out.
 */
export async function loadProviders(settings: ProviderSettings): Promise<void> {
  await Promise.all([settings.apns && loadApns(), settings.fcm && loadFcm()]);
}

function loadApns() {
  return import('./apns/client.ts');
}

function loadFcm() {
  return import('./fcm/client.ts');
}
