import { openAuthorizer } from './apns/authorization.ts';
import { startApns } from './apns/server.ts';
import { makeServerCertificate } from './certificates.ts';
import type { SandboxContext } from './context.ts';
import {
  type ApnsKey,
  type EndpointUrls,
  makeCredentials,
  readCredentials,
  type SandboxSettings,
  type ServiceAccount,
  writeCredentials,
} from './credentials.ts';
import { openOAuth } from './fcm/oauth.ts';
import { startFcm, startOAuth } from './fcm/server.ts';
import { type Journal, openJournal } from './journal.ts';
import type { Outage } from './listener.ts';
import { type EndpointName, openRuleBook, type Rule } from './rules.ts';
import { issueToken, type TokenRequest } from './tokens.ts';

export interface SandboxOptions {
  /** All 0 by default: any free port. */
  readonly apnsPort?: number;
  readonly apnsSandboxPort?: number;
  readonly fcmPort?: number;
  readonly oauthPort?: number;
  /** The app's bundle ID, where no credentials are restored. */
  readonly topic?: string;
  /** A folder of `writeCredentials`: its keys are used again if there are any. */
  readonly restoreFrom?: string;
  /** Take any well-formed token, on either environment. */
  readonly acceptUnknownTokens?: boolean;
  /** `count`: remember no pushes, only how many there were. */
  readonly record?: 'all' | 'count';
  /** How many pushes are remembered; default 10,000. */
  readonly keep?: number;
  /** Streams on an APNs connection after its first valid token; default 1000. */
  readonly maxStreams?: number;
  readonly accessTokenLifetimeS?: number;
  /** The time by which tokens expire, for tests that move it. */
  readonly wallMs?: () => number;
}

/** Fake APNs and FCM, as strict as the vendors' documents, on loopback. */
export interface Sandbox extends Pick<Journal, 'pushes' | 'refused' | 'counts' | 'onPush' | 'waitForPush'> {
  readonly apns: { readonly productionUrl: string; readonly sandboxUrl: string };
  readonly fcm: { readonly url: string; readonly tokenUrl: string };
  /** The CA to trust. */
  readonly caPem: string;
  readonly apnsKey: ApnsKey;
  readonly topic: string;
  /** Its `token_uri` is this sandbox's `fcm.tokenUrl`. */
  readonly serviceAccount: ServiceAccount;
  /** A device token that these and all other sandboxes take; see tokens.ts. */
  token(request: TokenRequest): string;
  /**
   * Answers requests by a rule; the function takes it back. The newest rule wins over older ones and over tokens'
   * behaviours.
   */
  behave(rule: Rule): () => void;
  /** Takes all rules back. */
  behaveWell(): void;
  /** Breaks or mends a listener as a whole. Its port stays. */
  setOutage(endpoint: EndpointName, outage: Outage): Promise<void>;
  /** All access tokens given out so far are refused from now on. */
  revokeAccessTokens(): void;
  writeCredentials(dir: string): Promise<SandboxSettings>;
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const wallMs = options.wallMs ?? Date.now;
  const restored = options.restoreFrom === undefined ? null : await readCredentials(options.restoreFrom);
  const credentials = restored ?? (await makeCredentials(Date.now(), options.topic));
  const { authority, apnsKey, topic } = credentials;
  const journal = openJournal({ record: options.record ?? 'all', keep: options.keep ?? 10_000 });
  const rules = openRuleBook();
  const context: SandboxContext = {
    rules,
    journal,
    wallMs,
    tls: await makeServerCertificate(authority, Date.now()),
    acceptUnknownTokens: options.acceptUnknownTokens ?? false,
  };
  const endpoints = await startEndpoints(options, credentials, context);
  const urls: EndpointUrls = {
    apnsProduction: `https://127.0.0.1:${endpoints.apns_production.listener.port}`,
    apnsSandbox: `https://127.0.0.1:${endpoints.apns_sandbox.listener.port}`,
    fcm: `https://127.0.0.1:${endpoints.fcm.listener.port}`,
    token: endpoints.tokenUrl,
  };
  const serviceAccount = { ...credentials.serviceAccount, token_uri: urls.token };

  return {
    pushes: journal.pushes,
    refused: journal.refused,
    counts: journal.counts,
    onPush: journal.onPush,
    waitForPush: journal.waitForPush,
    apns: { productionUrl: urls.apnsProduction, sandboxUrl: urls.apnsSandbox },
    fcm: { url: urls.fcm, tokenUrl: urls.token },
    caPem: authority.certPem,
    apnsKey,
    topic,
    serviceAccount,
    token: issueToken,
    behave: rules.add,
    behaveWell: rules.clear,
    setOutage: (endpoint, outage) => endpoints[endpoint].setOutage(outage),
    revokeAccessTokens: endpoints.revokeAccessTokens,
    writeCredentials: (dir) => writeCredentials(dir, { ...credentials, serviceAccount }, urls),
    async close() {
      await Promise.all(
        [endpoints.apns_production, endpoints.apns_sandbox, endpoints.fcm, endpoints.oauth].map((endpoint) =>
          endpoint.close(),
        ),
      );
    },
  };
}

async function startEndpoints(
  options: SandboxOptions,
  credentials: { readonly apnsKey: ApnsKey; readonly topic: string; readonly serviceAccount: ServiceAccount },
  context: SandboxContext,
) {
  const { apnsKey, topic, serviceAccount } = credentials;
  const apns = { topic, authorize: openAuthorizer(apnsKey), maxStreams: options.maxStreams ?? 1000 };
  let tokenUrl = '';
  const oauth = openOAuth({
    serviceAccount,
    tokenUrl: () => tokenUrl,
    lifetimeS: options.accessTokenLifetimeS ?? 3600,
  });
  const [apns_production, apns_sandbox, fcm, oauthEndpoint] = await Promise.all([
    startApns({ ...apns, endpoint: 'apns_production', port: options.apnsPort ?? 0 }, context),
    startApns({ ...apns, endpoint: 'apns_sandbox', port: options.apnsSandboxPort ?? 0 }, context),
    startFcm({ port: options.fcmPort ?? 0, projectId: serviceAccount.project_id, oauth }, context),
    startOAuth({ port: options.oauthPort ?? 0, oauth }, context),
  ]);
  tokenUrl = `https://127.0.0.1:${oauthEndpoint.listener.port}/token`;
  return { apns_production, apns_sandbox, fcm, oauth: oauthEndpoint, tokenUrl, revokeAccessTokens: oauth.revokeAll };
}
