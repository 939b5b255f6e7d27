import { generateKeyPairSync, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { type Authority, makeAuthority, makeRsaKeys } from './certificates.ts';

/** What Apple's and Google's consoles would have handed out. */
export interface Credentials {
  readonly authority: Authority;
  readonly apnsKey: ApnsKey;
  readonly topic: string;
  readonly serviceAccount: ServiceAccount;
}

export interface ApnsKey {
  /** PKCS #8, as in Apple's .p8 files. */
  readonly pem: string;
  readonly keyId: string;
  readonly teamId: string;
}

/** The JSON file of a Google service account. */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly token_uri: string;
}

/** Values for the settings of the same names that point pushctl at a sandbox. */
export interface SandboxSettings {
  readonly apns: {
    readonly key_file: string;
    readonly key_id: string;
    readonly team_id: string;
    readonly topic: string;
    readonly endpoint_production: string;
    readonly endpoint_sandbox: string;
    readonly ca_file: string;
  };
  readonly fcm: {
    readonly service_account_file: string;
    readonly endpoint: string;
    readonly token_endpoint: string;
    readonly ca_file: string;
  };
}

export interface EndpointUrls {
  readonly apnsProduction: string;
  readonly apnsSandbox: string;
  readonly fcm: string;
  readonly token: string;
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const WITHOUT_LINKS = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

const DEFAULT_TOPIC = 'com.example.pushctl';
const PROJECT = 'pushctl-sandbox';
const FILES = {
  apnsKey: 'apns.p8',
  serviceAccount: 'service-account.json',
  ca: 'ca.pem',
  caKey: 'ca-key.pem',
  identity: 'sandbox.json',
};

export async function makeCredentials(nowMs: number, topic: string = DEFAULT_TOPIC): Promise<Credentials> {
  const [authority, rsa] = await Promise.all([makeAuthority(nowMs), makeRsaKeys()]);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    authority,
    topic,
    apnsKey: {
      pem: ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyId: randomIdentifier(),
      teamId: randomIdentifier(),
    },
    serviceAccount: {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: randomIdentifier().toLowerCase(),
      private_key: rsa.privateKey,
      client_email: `pushctl@${PROJECT}.iam.gserviceaccount.com`,
      client_id: '100000000000000000001',
      token_uri: 'https://oauth2.googleapis.com/token',
    },
  };
}

/** Writes the files that pushctl reads, and what `readCredentials` needs to restore them. Only the owner may read them. */
export async function writeCredentials(
  dir: string,
  credentials: Credentials,
  urls: EndpointUrls,
): Promise<SandboxSettings> {
  const { authority, apnsKey, serviceAccount, topic } = credentials;
  const identity = { key_id: apnsKey.keyId, team_id: apnsKey.teamId, topic };
  const contents: readonly (readonly [string, string])[] = [
    [FILES.apnsKey, apnsKey.pem],
    [FILES.serviceAccount, `${JSON.stringify(serviceAccount, null, 2)}\n`],
    [FILES.ca, authority.certPem],
    [FILES.caKey, authority.keyPem],
    [FILES.identity, `${JSON.stringify(identity, null, 2)}\n`],
  ];
  makeFolder(dir);
  await Promise.all(
    contents.map(([name, text]) => writeFile(join(dir, name), text, { mode: 0o600, flag: WITHOUT_LINKS })),
  );
  return {
    apns: {
      key_file: join(dir, FILES.apnsKey),
      ...identity,
      endpoint_production: urls.apnsProduction,
      endpoint_sandbox: urls.apnsSandbox,
      ca_file: join(dir, FILES.ca),
    },
    fcm: {
      service_account_file: join(dir, FILES.serviceAccount),
      endpoint: urls.fcm,
      token_endpoint: urls.token,
      ca_file: join(dir, FILES.ca),
    },
  };
}

/** What `writeCredentials` wrote; null where there is nothing. */
export async function readCredentials(dir: string): Promise<Credentials | null> {
  const read = (name: string) => readFile(join(dir, name), 'utf8');
  const identity = await read(FILES.identity).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (identity === null) return null;
  const [pem, account, certPem, keyPem] = await Promise.all([
    read(FILES.apnsKey),
    read(FILES.serviceAccount),
    read(FILES.ca),
    read(FILES.caKey),
  ]);
  const { key_id, team_id, topic } = JSON.parse(identity) as { key_id: string; team_id: string; topic: string };
  return {
    authority: { certPem, keyPem },
    topic,
    apnsKey: { pem, keyId: key_id, teamId: team_id },
    serviceAccount: JSON.parse(account) as ServiceAccount,
  };
}

/** Ten characters, like Apple's key and team IDs. */
function randomIdentifier(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
