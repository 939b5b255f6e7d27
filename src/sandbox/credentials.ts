import { constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import forge from 'node-forge';
import { certify, DNS_NAME, IP_ADDRESS, makeRsaKeys, serverExtensions } from '../acme/certify.ts';
import { makeFolder } from '../files/write.ts';
import { PROVIDER_NAMES, type ProviderName } from '../push.ts';
import { FAKES, type KeysOf, type RunningOf } from './table.ts';

/** Credentials as from the consoles, and the certificates' authority. */
export type SandboxCredentials = { readonly authority: Authority } & AllOf<{ [P in ProviderName]: KeysOf<P> }>;

/** Values for the equally named settings that point at a sandbox. */
export type SandboxSettings = { readonly [P in ProviderName]: ReturnType<RunningOf<P>['settings']> };

/** The intersection of all members. */
export type AllOf<T> = { [K in keyof T]: (value: T[K]) => void }[keyof T] extends (value: infer A) => void ? A : never;

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const WITHOUT_LINKS = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
const CA_FILE = 'ca.pem';
const CA_KEY_FILE = 'ca-key.pem';

/** Reads what `writeCredentials` left, and makes missing credentials. */
export async function restoreCredentials(
  folder: string | null,
  nowMs: number,
  topic?: string,
): Promise<SandboxCredentials> {
  const read = (name: string) => (folder === null ? Promise.resolve(null) : readKept(join(folder, name)));
  const [certPem, keyPem] = [await read(CA_FILE), await read(CA_KEY_FILE)];
  const [authority, ...keys] = await Promise.all([
    certPem !== null && keyPem !== null ? { certPem, keyPem } : makeAuthority(nowMs),
    ...PROVIDER_NAMES.map(async (name) => {
      const fake = FAKES[name];
      return (await fake.readKeys(read)) ?? (await fake.makeKeys({ topic }));
    }),
  ]);
  return Object.assign({ authority }, ...keys) as SandboxCredentials;
}

/** Writes owner-only files for pushctl and for `restoreCredentials`. */
export async function writeCredentials(
  folder: string,
  authority: Authority,
  running: { readonly [P in ProviderName]: RunningOf<P> },
): Promise<SandboxSettings> {
  const place = (name: string) => join(folder, name);
  const contents: readonly (readonly [string, string])[] = [
    [CA_FILE, authority.certPem],
    [CA_KEY_FILE, authority.keyPem],
    ...PROVIDER_NAMES.flatMap((name) => Object.entries(running[name].files)),
  ];
  makeFolder(folder);
  await Promise.all(contents.map(([name, text]) => writeFile(place(name), text, { mode: 0o600, flag: WITHOUT_LINKS })));
  const settings = PROVIDER_NAMES.map((name) => [name, running[name].settings(place, place(CA_FILE))]);
  return Object.fromEntries(settings) as SandboxSettings;
}

async function readKept(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** The sandbox's certificate authority, in PEM. */
export interface Authority {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Names in the certificate: loopback, and hosts that vendors' libraries insist on. */
const DNS_NAMES = [
  'localhost',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
];
const LIFETIME_DAYS = 3650;

/** RSA, like the vendors' own chains. */
export async function makeAuthority(nowMs: number): Promise<Authority> {
  const keys = await makeRsaKeys();
  const name = [{ name: 'commonName', value: 'pushctl sandbox CA' }];
  const certPem = certify({
    publicKeyPem: keys.publicKey,
    subject: name,
    issuer: name,
    signingKeyPem: keys.privateKey,
    nowMs,
    days: LIFETIME_DAYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      { name: 'subjectKeyIdentifier' },
    ],
  });
  return { certPem, keyPem: keys.privateKey };
}

/** Makes a certificate for loopback addresses and `DNS_NAMES`. */
export async function makeServerCertificate(
  authority: Authority,
  nowMs: number,
): Promise<{ cert: string; key: string }> {
  const keys = await makeRsaKeys();
  const cert = certify({
    publicKeyPem: keys.publicKey,
    subject: [{ name: 'commonName', value: 'pushctl sandbox' }],
    issuer: forge.pki.certificateFromPem(authority.certPem).subject.attributes,
    signingKeyPem: authority.keyPem,
    nowMs,
    days: LIFETIME_DAYS,
    extensions: serverExtensions([
      ...DNS_NAMES.map((value) => ({ type: DNS_NAME, value })),
      ...['127.0.0.1', '::1'].map((ip) => ({ type: IP_ADDRESS, ip })),
    ]),
  });
  return { cert, key: keys.privateKey };
}
