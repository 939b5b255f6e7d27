import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider } from '../provider.ts';
import { type FcmSettings, fcmCredentials } from './credentials.ts';
import { FCM_OUTCOMES } from './outcomes.ts';
import { fcmSetup } from './setup.ts';

/** Firebase Cloud Messaging: Android devices. */
export const fcm: Provider<ProviderConfigs['fcm'], FcmSettings> = {
  outcomes: FCM_OUTCOMES,
  credentials: fcmCredentials,
  setup: fcmSetup,
  loadProbe: async () => (await import('./probe.ts')).fcmProbe,
  loadClient: async () => (await import('./client.ts')).createFcmClient,
  perMinute: ({ perMinute }) => perMinute,
};
