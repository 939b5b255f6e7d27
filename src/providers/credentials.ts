import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { placeOf, readNamedFile, whyUnreadable } from '../config/named-file.ts';
import type { ProviderName } from '../push.ts';
import type { ApnsSettings, FcmSettings, ProviderProblem, ProviderSettings } from './provider.ts';

export interface Credentials {
  readonly settings: ProviderSettings;
  readonly problems: readonly ProviderProblem[];
}

/**
 * Reads the key files of the configured providers. One that cannot be used is left out, and the problem says why, with no
 * word of the file's content.
 */
export function readCredentials(config: ProviderFiles): Credentials {
  const problems: ProviderProblem[] = [];
  const read = (path: string, setting: string) => readSecret(path, placeOf(config, path), setting);
  const apns = config.apns && attempt('apns', () => readApns(config.apns as Apns, read));
  const fcm = config.fcm && attempt('fcm', () => readFcm(config.fcm as Fcm, read));
  return { settings: { ...(apns && { apns }), ...(fcm && { fcm }) }, problems };

  function attempt<T>(provider: ProviderName, readAll: () => T): T | null {
    try {
      return readAll();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push({ provider, message: error.message });
      return null;
    }
  }
}

export type ProviderFiles = Pick<Config, 'apns' | 'fcm'> & Partial<Pick<Config, 'handedOver'>>;
type Apns = NonNullable<Config['apns']>;
type Fcm = NonNullable<Config['fcm']>;
type Read = (path: string, setting: string) => string;

/** Why a provider is off. */
class Unusable extends Error {}

function readApns(apns: Apns, read: Read): ApnsSettings {
  const key = read(apns.keyFile, 'apns.key_file');
  const parsed = privateKey(
    key,
    `apns.key_file (${apns.keyFile})`,
    'Use the AuthKey_….p8 file as downloaded from Apple.',
  );
  if (parsed.asymmetricKeyType !== 'ec' || parsed.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Unusable(
      `apns.key_file (${apns.keyFile}) holds a private key of the wrong kind: Apple's are EC keys on P-256. Use the AuthKey_….p8 file as downloaded from Apple.`,
    );
  }
  return {
    key,
    keyId: apns.keyId,
    teamId: apns.teamId,
    topic: apns.topic,
    endpointProduction: apns.endpointProduction,
    endpointSandbox: apns.endpointSandbox,
    ...readCa(apns.caFile, 'apns.ca_file', read),
  };
}

function readFcm(fcm: Fcm, read: Read): FcmSettings {
  const where = `fcm.service_account_file (${fcm.serviceAccountFile})`;
  const advice = 'Use the JSON file that the Firebase console generates under Project settings, Service accounts.';
  const account = jsonObject(read(fcm.serviceAccountFile, 'fcm.service_account_file'), where, advice);
  const field = (name: string): string => {
    const value = account[name];
    if (typeof value !== 'string' || value === '') throw new Unusable(`${where} has no ${name}. ${advice}`);
    return value;
  };
  const serviceAccount = {
    project_id: field('project_id'),
    client_email: field('client_email'),
    private_key: field('private_key'),
  };
  if (privateKey(serviceAccount.private_key, `private_key in ${where}`, advice).asymmetricKeyType !== 'rsa') {
    throw new Unusable(`private_key in ${where} is not an RSA key. ${advice}`);
  }
  return {
    serviceAccount,
    style: fcm.style,
    endpoint: fcm.endpoint,
    tokenEndpoint: fcm.tokenEndpoint,
    ...readCa(fcm.caFile, 'fcm.ca_file', read),
  };
}

function readCa(path: string | null, setting: string, read: Read): { ca?: string } {
  if (path === null) return {};
  const ca = read(path, setting);
  try {
    new X509Certificate(ca);
  } catch {
    throw new Unusable(`${setting} (${path}) is not a certificate in PEM form.`);
  }
  return { ca };
}

function readSecret(path: string, place: string, setting: string): string {
  try {
    return readNamedFile(place).toString('utf8');
  } catch (error) {
    throw new Unusable(`${setting}: ${path} ${whyUnreadable(error)}.`);
  }
}

function privateKey(pem: string, where: string, advice: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Unusable(`${where} is not a private key in PEM form. ${advice}`);
  }
}

function jsonObject(text: string, where: string, advice: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below: the parser's own words would quote the file.
  }
  throw new Unusable(`${where} is not a JSON object. ${advice}`);
}
