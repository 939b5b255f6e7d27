import type { ProviderConfigs } from '../../config/config.ts';
import type { Setup } from '../provider.ts';

export const webPushSetup: Setup<ProviderConfigs['webpush']> = {
  required: {
    setting: 'webpush.contact',
    text: 'Whom push services may write to about pushes to browsers, mailto:…',
    without: 'no browsers',
    option: ['<mailto>', 'whom push services may write to about pushes to browsers, such as mailto:ops@example.com'],
  },
  others: [],
};
