import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider } from '../provider.ts';
import { type WebPushSettings, webPushCredentials } from './credentials.ts';
import { WEB_PUSH_OUTCOMES } from './outcomes.ts';
import { webPushSetup } from './setup.ts';

/** Web Push: browsers, by the push service that each of them chooses. */
export const webpush: Provider<ProviderConfigs['webpush'], WebPushSettings> = {
  outcomes: WEB_PUSH_OUTCOMES,
  credentials: webPushCredentials,
  setup: webPushSetup,
  loadProbe: async () => (await import('./probe.ts')).webPushProbe,
  loadClient: async () => (await import('./client.ts')).createWebPushClient,
  perMinute: () => null,
};
