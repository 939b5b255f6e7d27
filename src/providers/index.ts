import { type Clock, systemClock } from '../clock.ts';
import type { Route } from '../push.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import type { SendLimits } from './sending.ts';

/**
 * The provider of a route; null where it is not configured. Rejects for credentials that credentials.ts would not pass.
 * Apple's library and Google's take some 10 MB each in a thread, so each is loaded by the first that needs it.
 */
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
      return (await import('./apns.ts')).createApnsProvider(route, settings.apns, clock, limits);
    case 'fcm':
      if (!settings.fcm) return null;
      return (await import('./fcm.ts')).createFcmProvider(settings.fcm, clock, limits);
  }
}
