import type { ProviderConfigs } from '../../config/config.ts';
import { privateKey, readCa, Unusable } from '../key-files.ts';
import type { Credentials } from '../provider.ts';

/** Contents instead of paths: the reader reports unreadable files. */
export interface ApnsSettings {
  /** PEM of the .p8 key. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  /** The app's bundle ID, and others that devices may name. */
  readonly topic: string;
  readonly topics: readonly string[];
  /** The app may send critical alerts. */
  readonly critical: boolean;
  readonly endpointProduction: string;
  readonly endpointSandbox: string;
  /** PEM of a CA instead of the system's. */
  readonly ca?: string;
}

const ADVICE = 'Use the AuthKey_….p8 file as downloaded from Apple.';

export const apnsCredentials: Credentials<ProviderConfigs['apns'], ApnsSettings> = {
  whenComplete: 'the key file holds a key of the kind that Apple uses',

  files: ({ keyFile, caFile }) => [
    { setting: 'apns.key_file', file: keyFile, isSecret: true },
    { setting: 'apns.ca_file', file: caFile, isSecret: false },
  ],

  read(apns, read) {
    const where = `apns.key_file (${apns.keyFile})`;
    const key = read(apns.keyFile, 'apns.key_file');
    const { asymmetricKeyType, asymmetricKeyDetails } = privateKey(key, where, ADVICE);
    if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
      throw new Unusable(`${where} holds a private key of the wrong kind: Apple uses EC keys on P-256. ${ADVICE}`);
    }
    return {
      key,
      keyId: apns.keyId,
      teamId: apns.teamId,
      topic: apns.topic,
      topics: apns.topics,
      critical: apns.critical,
      endpointProduction: apns.endpointProduction,
      endpointSandbox: apns.endpointSandbox,
      ...readCa(apns.caFile, 'apns.ca_file', read),
    };
  },
};
