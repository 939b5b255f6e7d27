import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider, Setup } from '../provider.ts';
import { type FcmSettings, fcmCredentials } from './credentials.ts';
import { FCM_OUTCOMES } from './outcomes.ts';

const fcmSetup: Setup<ProviderConfigs['fcm']> = {
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

export const fcm: Provider<ProviderConfigs['fcm'], FcmSettings> = {
  outcomes: FCM_OUTCOMES,
  credentials: fcmCredentials,
  setup: fcmSetup,
  loadProbe: async () => (await import('./probe.ts')).fcmProbe,
  loadClient: async () => (await import('./client.ts')).createFcmClient,
  perMinute: ({ perMinute }) => perMinute,
};
