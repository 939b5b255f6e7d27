import { type Clock, systemClock } from '../clock.ts';
import type { Route } from '../push.ts';
import { createApnsProvider } from './apns.ts';
import { createFcmProvider } from './fcm.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import type { SendLimits } from './sending.ts';

/** The provider of a route; null where it is not configured. Throws for credentials that credentials.ts would not pass. */
export function createProvider(
  route: Route,
  settings: ProviderSettings,
  limits: Partial<SendLimits> = {},
  clock: Clock = systemClock(),
): Provider | null {
  switch (route) {
    case 'apns_production':
    case 'apns_sandbox':
      return settings.apns ? createApnsProvider(route, settings.apns, clock, limits) : null;
    case 'fcm':
      return settings.fcm ? createFcmProvider(settings.fcm, clock, limits) : null;
  }
}
