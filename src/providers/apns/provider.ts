import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider } from '../provider.ts';
import { type ApnsSettings, apnsCredentials } from './credentials.ts';
import { APNS_OUTCOMES } from './outcomes.ts';
import { apnsSetup } from './setup.ts';

/** Apple Push Notification service: iOS devices, one route for each of Apple's two environments. */
export const apns: Provider<ProviderConfigs['apns'], ApnsSettings> = {
  outcomes: APNS_OUTCOMES,
  credentials: apnsCredentials,
  setup: apnsSetup,
  loadProbe: async () => (await import('./probe.ts')).apnsProbe,
  loadClient: async () => (await import('./client.ts')).createApnsClient,
  perMinute: () => null,
};
