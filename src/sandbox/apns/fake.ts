import { generateKeyPairSync } from 'node:crypto';
import { type FakeProvider, type RunningFake, randomIdentifier } from '../fake.ts';
import { urlOf } from '../listener.ts';
import { type ApnsKeys, openAuthorizer } from './authorization.ts';
import { startApns } from './server.ts';
import { makeApnsToken } from './token.ts';

interface ApnsInfo extends ApnsKeys {
  readonly topics: readonly string[];
  readonly apns: { readonly productionUrl: string; readonly sandboxUrl: string };
}

/** Values for the equally named settings. */
type ApnsTrialSettings = {
  readonly key_file: string;
  readonly key_id: string;
  readonly team_id: string;
  readonly topic: string;
  readonly topics?: readonly string[];
  readonly endpoint_production: string;
  readonly endpoint_sandbox: string;
  readonly ca_file: string;
};

const DEFAULT_TOPIC = 'com.example.pushctl';
const KEY_FILE = 'apns.p8';
const IDENTITY_FILE = 'sandbox.json';

/** Apple's environments. `apns_sandbox` is Apple's for development, not this sandbox. */
export const fakeApns: FakeProvider<ApnsKeys, RunningFake<ApnsInfo, ApnsTrialSettings>> = {
  endpoints: ['apns_production', 'apns_sandbox'],

  async makeKeys({ topic = DEFAULT_TOPIC }) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { topic, apnsKey: { pem, keyId: randomIdentifier(), teamId: randomIdentifier() } };
  },

  async readKeys(read) {
    const [pem, identity] = [await read(KEY_FILE), await read(IDENTITY_FILE)];
    if (pem === null || identity === null) return null;
    const { key_id, team_id, topic } = JSON.parse(identity) as { key_id: string; team_id: string; topic: string };
    return { topic, apnsKey: { pem, keyId: key_id, teamId: team_id } };
  },

  homeOf: ({ environment }) => (environment === 'sandbox' ? 'apns_sandbox' : 'apns_production'),

  makeToken: (header, unique, { app }) => makeApnsToken(header, unique, app),

  async start({ apnsKey, topic }, { maxStreams, topics }, context) {
    const options = { topics: [topic, ...topics], authorize: openAuthorizer(apnsKey), maxStreams };
    const [production, sandbox] = await Promise.all([
      startApns({ ...options, endpoint: 'apns_production' }, context),
      startApns({ ...options, endpoint: 'apns_sandbox' }, context),
    ]);
    const urls = { productionUrl: urlOf(production), sandboxUrl: urlOf(sandbox) };
    const identity = { key_id: apnsKey.keyId, team_id: apnsKey.teamId, topic };
    return {
      info: { apns: urls, apnsKey, topic, topics },
      files: { [KEY_FILE]: apnsKey.pem, [IDENTITY_FILE]: `${JSON.stringify(identity, null, 2)}\n` },
      settings: (place, caFile) => ({
        key_file: place(KEY_FILE),
        ...identity,
        ...(topics.length > 0 && { topics }),
        endpoint_production: urls.productionUrl,
        endpoint_sandbox: urls.sandboxUrl,
        ca_file: caFile,
      }),
    };
  },
};
