import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCredentials } from '../../src/providers/credentials.ts';
import { temporaryFolder } from '../support/folder.ts';

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const P8 = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const RSA = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
const ACCOUNT = {
  project_id: 'p',
  client_email: 'a@p.iam.gserviceaccount.com',
  private_key: RSA,
  type: 'service_account',
};

const apns = (keyFile: string, caFile: string | null = null) => ({
  keyFile,
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.app',
  topics: [],
  endpointProduction: 'https://api.push.apple.com',
  critical: false,
  endpointSandbox: 'https://api.sandbox.push.apple.com',
  caFile,
});
const fcm = (serviceAccountFile: string, caFile: string | null = null) => ({
  serviceAccountFile,
  style: 'data' as const,
  perMinute: 1,
  endpoint: 'https://fcm.googleapis.com',
  tokenEndpoint: 'https://oauth2.googleapis.com/token',
  caFile,
});

/** A file of that content, alone in its folder. */
function aFile(content: string): { path: string; folder: string } {
  const folder = temporaryFolder();
  const path = join(folder, 'secret');
  writeFileSync(path, content);
  return { path, folder };
}

const readAll = (config: Parameters<typeof readCredentials>[0]) =>
  readCredentials(config, { baseUrl: 'https://push.example.com/api', vapid: null });
const messages = (config: Parameters<typeof readCredentials>[0]) =>
  readAll(config).problems.map(({ message }) => message);

test('whole credentials are read and nothing is wrong', () => {
  const { path: keyFile, folder } = aFile(P8);
  const account = join(folder, 'account.json');
  writeFileSync(account, JSON.stringify(ACCOUNT));
  const { settings, problems } = readAll({ apns: apns(keyFile), fcm: fcm(account) });
  assert.equal(problems, []);
  assert.is(settings.apns?.key, P8);
  assert.is(settings.fcm?.serviceAccount.private_key, RSA);
  assert.not('type' in (settings.fcm?.serviceAccount ?? {}));
});

test('a provider that is not configured is no problem', () => {
  assert.equal(readAll({ apns: null, fcm: null }), { settings: {}, problems: [] });
});

test('one unusable provider leaves the other one on', () => {
  const { path: keyFile } = aFile(P8);
  const { settings, problems } = readAll({ apns: apns(keyFile), fcm: fcm('/nowhere/account.json') });
  assert.ok(settings.apns);
  assert.not(settings.fcm);
  assert.equal(problems, [
    { provider: 'fcm', message: 'fcm.service_account_file: /nowhere/account.json does not exist.' },
  ]);
});

test('a file of which the process was handed a copy is read there, and named as the operator knows it', () => {
  const { path } = aFile(P8);
  const config = { apns: apns('/etc/pushctl/AuthKey.p8'), fcm: null };
  const handedOver = { '/etc/pushctl/AuthKey.p8': path };
  assert.is(readAll({ ...config, handedOver }).settings.apns?.key, P8);
  writeFileSync(path, 'hunter2');
  const [problem] = readAll({ ...config, handedOver }).problems;
  assert.match(problem?.message ?? '', '/etc/pushctl/AuthKey.p8');
  assert.not.match(problem?.message ?? '', path);
});

test('a file that is larger than any key is not read', () => {
  const { path } = aFile('x'.repeat(1024 * 1024 + 1));
  assert.match(messages({ apns: apns(path), fcm: null })[0] ?? '', 'is larger than 1 MiB');
});

test('a folder in place of a key is called one', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'key'));
  assert.match(messages({ apns: apns(join(folder, 'key')), fcm: null })[0] ?? '', 'is a directory, not a file');
});

const WRONG_KEYS: readonly (readonly [string, string, string])[] = [
  ['no key at all', 'top secret', 'is not a private key in PEM form'],
  ['an RSA key', RSA, 'of the wrong kind'],
  ['a key on another curve', pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey), 'of the wrong kind'],
];
for (const [name, content, expected] of WRONG_KEYS) {
  test(`${name} is not taken for Apple's, and not quoted`, () => {
    const { path } = aFile(content);
    const [message = ''] = messages({ apns: apns(path), fcm: null });
    assert.ok(message.includes(expected) && message.includes(path), message);
    assert.not(message.includes(content));
  });
}

const WRONG_ACCOUNTS: readonly (readonly [string, string, string])[] = [
  ['text', 'top secret', 'is not a JSON object'],
  ['an array', '[]', 'has no project_id'],
  ['an account without an address', JSON.stringify({ ...ACCOUNT, client_email: undefined }), 'has no client_email'],
  [
    'an account whose key is cut',
    JSON.stringify({ ...ACCOUNT, private_key: RSA.slice(0, 80) }),
    'is not a private key',
  ],
  ['an account with an EC key', JSON.stringify({ ...ACCOUNT, private_key: P8 }), 'is not an RSA key'],
];
for (const [name, content, expected] of WRONG_ACCOUNTS) {
  test(`${name} is not taken for a service account, and not quoted`, () => {
    const { path } = aFile(content);
    const [message = ''] = messages({ apns: null, fcm: fcm(path) });
    assert.ok(message.includes(expected) && message.includes(path), message);
    assert.not(message.includes(content));
    assert.not(message.includes('PRIVATE KEY'));
  });
}

test('a CA file that holds no certificate turns the provider off', () => {
  const { path } = aFile(P8);
  assert.equal(messages({ apns: apns(path, path), fcm: null }), [
    `apns.ca_file (${path}) is not a certificate in PEM form.`,
  ]);
});

test.run();
