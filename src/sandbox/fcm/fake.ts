import { makeRsaKeys } from '../../acme/certify.ts';
import { type FakeProvider, type RunningFake, randomIdentifier } from '../fake.ts';
import { urlOf } from '../listener.ts';
import { OAuth, type ServiceAccount } from './oauth.ts';
import { startFcm, startOAuth } from './server.ts';
import { makeFcmToken } from './token.ts';

interface FcmKeys {
  readonly serviceAccount: ServiceAccount;
}

interface FcmInfo {
  readonly fcm: { readonly url: string; readonly tokenUrl: string };
  /** Its `token_uri` is this sandbox's `fcm.tokenUrl`. */
  readonly serviceAccount: ServiceAccount;
  /** Rejects all earlier access tokens from now on. */
  revokeAccessTokens(): void;
}

/** Values for the equally named settings. */
type FcmTrialSettings = {
  readonly service_account_file: string;
  readonly endpoint: string;
  readonly token_endpoint: string;
  readonly ca_file: string;
};

const PROJECT = 'pushctl-sandbox';
const ACCOUNT_FILE = 'service-account.json';

export const fakeFcm: FakeProvider<FcmKeys, RunningFake<FcmInfo, FcmTrialSettings>> = {
  endpoints: ['fcm', 'oauth'],

  async makeKeys() {
    const rsa = await makeRsaKeys();
    const serviceAccount = {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: randomIdentifier().toLowerCase(),
      private_key: rsa.privateKey,
      client_email: `pushctl@${PROJECT}.iam.gserviceaccount.com`,
      client_id: '100000000000000000001',
      token_uri: 'https://oauth2.googleapis.com/token',
    } as const;
    return { serviceAccount };
  },

  async readKeys(read) {
    const account = await read(ACCOUNT_FILE);
    return account === null ? null : { serviceAccount: JSON.parse(account) as ServiceAccount };
  },

  homeOf: () => 'fcm',

  makeToken: (header, unique, { tokenKind }) => makeFcmToken(header, unique, tokenKind ?? 'token'),

  async start({ serviceAccount: account }, { accessTokenLifetimeS: lifetimeS }, context) {
    let tokenUrl = '';
    const oauth = new OAuth({ serviceAccount: account, tokenUrl: () => tokenUrl, lifetimeS });
    const [fcm, tokens] = await Promise.all([
      startFcm({ projectId: account.project_id, oauth }, context),
      startOAuth(oauth, context),
    ]);
    tokenUrl = `${urlOf(tokens)}/token`;
    const url = urlOf(fcm);
    const serviceAccount = { ...account, token_uri: tokenUrl };
    return {
      info: { fcm: { url, tokenUrl }, serviceAccount, revokeAccessTokens: () => oauth.revokeAll() },
      files: { [ACCOUNT_FILE]: `${JSON.stringify(serviceAccount, null, 2)}\n` },
      settings: (place, caFile) => ({
        service_account_file: place(ACCOUNT_FILE),
        endpoint: url,
        token_endpoint: tokenUrl,
        ca_file: caFile,
      }),
    };
  },
};
