import type { ProviderConfigs } from '../../config/config.ts';
import { jsonObject, privateKey, readCa, Unusable } from '../key-files.ts';
import type { Credentials } from '../provider.ts';

/** Contents instead of paths: the reader reports unreadable files. */
export interface FcmSettings {
  readonly serviceAccount: {
    readonly project_id: string;
    readonly client_email: string;
    readonly private_key: string;
  };
  readonly style: 'data' | 'notification';
  readonly endpoint: string;
  readonly tokenEndpoint: string;
  /** PEM of a CA instead of the system's. */
  readonly ca?: string;
}

const ADVICE = 'Use the JSON file that the Firebase console generates under Project settings, Service accounts.';

export const fcmCredentials: Credentials<ProviderConfigs['fcm'], FcmSettings> = {
  whenComplete: 'the service account is complete',

  files: ({ serviceAccountFile, caFile }) => [
    { setting: 'fcm.service_account_file', file: serviceAccountFile, isSecret: true },
    { setting: 'fcm.ca_file', file: caFile, isSecret: false },
  ],

  read(fcm, read) {
    const where = `fcm.service_account_file (${fcm.serviceAccountFile})`;
    const account = jsonObject(read(fcm.serviceAccountFile, 'fcm.service_account_file'), where, ADVICE);
    return {
      serviceAccount: serviceAccountIn(account, where),
      style: fcm.style,
      endpoint: fcm.endpoint,
      tokenEndpoint: fcm.tokenEndpoint,
      ...readCa(fcm.caFile, 'fcm.ca_file', read),
    };
  },
};

function serviceAccountIn(account: Readonly<Record<string, unknown>>, where: string): FcmSettings['serviceAccount'] {
  const field = (name: string): string => {
    const value = account[name];
    if (typeof value !== 'string' || value === '') throw new Unusable(`${where} has no ${name}. ${ADVICE}`);
    return value;
  };
  const serviceAccount = {
    project_id: field('project_id'),
    client_email: field('client_email'),
    private_key: field('private_key'),
  };
  if (privateKey(serviceAccount.private_key, `private_key in ${where}`, ADVICE).asymmetricKeyType !== 'rsa') {
    throw new Unusable(`private_key in ${where} is not an RSA key. ${ADVICE}`);
  }
  return serviceAccount;
}
