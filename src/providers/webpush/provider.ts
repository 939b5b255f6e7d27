import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider, Setup } from '../provider.ts';
import { type WebPushSettings, webPushCredentials } from './credentials.ts';
import { WEB_PUSH_OUTCOMES } from './outcomes.ts';

const webPushSetup: Setup<ProviderConfigs['webpush']> = {
  required: {
    setting: 'webpush.contact',
    text: 'Contact for push services about pushes to browsers, mailto:…',
    without: 'no browsers',
    option: ['<mailto>', 'contact for push services about pushes to browsers, such as mailto:ops@example.com'],
  },
  others: [],
};

/** Web Push: browsers, by the push service they chose. */
export const webpush: Provider<ProviderConfigs['webpush'], WebPushSettings> = {
  outcomes: WEB_PUSH_OUTCOMES,
  credentials: webPushCredentials,
  setup: webPushSetup,
  loadProbe: async () => (await import('./probe.ts')).webPushProbe,
  loadClient: async () => (await import('./client.ts')).createWebPushClient,
  perMinute: () => null,
};
