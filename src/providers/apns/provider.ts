import { basename } from 'node:path';
import type { ProviderConfigs } from '../../config/config.ts';
import type { Provider, Setup } from '../provider.ts';
import { type ApnsSettings, apnsCredentials } from './credentials.ts';
import { APNS_OUTCOMES } from './outcomes.ts';

const apnsSetup: Setup<ProviderConfigs['apns']> = {
  required: {
    setting: 'apns.key_file',
    text: 'Key file from Apple, AuthKey_….p8, for iOS',
    without: 'no iOS',
    option: ['<file>', 'the .p8 key from Apple'],
  },
  others: [
    {
      setting: 'apns.key_id',
      text: 'Key ID of that key',
      option: ['<id>', 'key ID of that key (default: from the file name AuthKey_….p8)'],
      fromRequired: keyIdIn,
    },
    {
      setting: 'apns.team_id',
      text: 'Team ID of the Apple developer account',
      option: ['<id>', 'team ID of the Apple developer account'],
    },
    { setting: 'apns.topic', text: 'Bundle ID of the app', option: ['<bundle-id>', "the app's bundle ID"] },
  ],
  trial: (keyFile) => ({
    keyFile,
    keyId: '',
    teamId: '',
    topic: '',
    topics: [],
    endpointProduction: '',
    endpointSandbox: '',
    critical: false,
    caFile: null,
  }),
};

/** Apple: iOS devices, a route for each environment. */
export const apns: Provider<ProviderConfigs['apns'], ApnsSettings> = {
  outcomes: APNS_OUTCOMES,
  credentials: apnsCredentials,
  setup: apnsSetup,
  loadProbe: async () => (await import('./probe.ts')).apnsProbe,
  loadClient: async () => (await import('./client.ts')).createApnsClient,
  perMinute: () => null,
};

/** Apple names the file after the key: `AuthKey_ABC123DEFG.p8`. */
function keyIdIn(file: string): string | undefined {
  return /^AuthKey_([A-Z0-9]{10})\.p8$/.exec(basename(file))?.[1];
}
