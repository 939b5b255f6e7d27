import { basename } from 'node:path';
import type { ProviderConfigs } from '../../config/config.ts';
import type { Setup } from '../provider.ts';

export const apnsSetup: Setup<ProviderConfigs['apns']> = {
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
      option: ['<id>', 'its key ID (default: from the name AuthKey_….p8)'],
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

/** Apple names the file after the key: `AuthKey_ABC123DEFG.p8`. */
function keyIdIn(file: string): string | undefined {
  return /^AuthKey_([A-Z0-9]{10})\.p8$/.exec(basename(file))?.[1];
}
