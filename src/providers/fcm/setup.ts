import type { ProviderConfigs } from '../../config/config.ts';
import type { Setup } from '../provider.ts';

export const fcmSetup: Setup<ProviderConfigs['fcm']> = {
  required: {
    setting: 'fcm.service_account_file',
    text: 'Service account file from Firebase, for Android',
    without: 'no Android',
    option: ['<file>', 'the service account from Firebase'],
  },
  others: [],
  trial: (serviceAccountFile) => ({
    serviceAccountFile,
    style: 'data',
    perMinute: 1,
    endpoint: '',
    tokenEndpoint: '',
    caFile: null,
  }),
};
