import { openAuthorizer } from './apns/authorization.ts';
import { startApns } from './apns/server.ts';
import { makeServerCertificate } from './certificates.ts';
import type { Surroundings } from './context.ts';
import {
  type ApnsKey,
  type Endpoints,
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
import { type Face, openRuleBook, type Rule } from './rules.ts';
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
  setOutage(face: Face, outage: Outage): Promise<void>;
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
  const around: Surroundings = {
    rules,
    journal,
    wallMs,
    tls: await makeServerCertificate(authority, Date.now()),
    acceptUnknownTokens: options.acceptUnknownTokens ?? false,
  };
  const faces = await startFaces(options, credentials, around);
  const endpoints: Endpoints = {
    apnsProduction: `https://127.0.0.1:${faces.apns_production.listener.port}`,
    apnsSandbox: `https://127.0.0.1:${faces.apns_sandbox.listener.port}`,
    fcm: `https://127.0.0.1:${faces.fcm.listener.port}`,
    token: faces.tokenUrl,
  };
  const serviceAccount = { ...credentials.serviceAccount, token_uri: endpoints.token };

  return {
    pushes: journal.pushes,
    refused: journal.refused,
    counts: journal.counts,
    onPush: journal.onPush,
    waitForPush: journal.waitForPush,
    apns: { productionUrl: endpoints.apnsProduction, sandboxUrl: endpoints.apnsSandbox },
    fcm: { url: endpoints.fcm, tokenUrl: endpoints.token },
    caPem: authority.certPem,
    apnsKey,
    topic,
    serviceAccount,
    token: issueToken,
    behave: rules.add,
    behaveWell: rules.clear,
    setOutage: (face, outage) => faces[face].setOutage(outage),
    revokeAccessTokens: faces.revokeAccessTokens,
    writeCredentials: (dir) => writeCredentials(dir, { ...credentials, serviceAccount }, endpoints),
    async close() {
      await Promise.all(
        [faces.apns_production, faces.apns_sandbox, faces.fcm, faces.oauth].map((face) => face.close()),
      );
    },
  };
}

async function startFaces(
  options: SandboxOptions,
  credentials: { readonly apnsKey: ApnsKey; readonly topic: string; readonly serviceAccount: ServiceAccount },
  around: Surroundings,
) {
  const { apnsKey, topic, serviceAccount } = credentials;
  const apns = { topic, authorize: openAuthorizer(apnsKey), maxStreams: options.maxStreams ?? 1000 };
  let tokenUrl = '';
  const oauth = openOAuth({
    serviceAccount,
    tokenUrl: () => tokenUrl,
    lifetimeS: options.accessTokenLifetimeS ?? 3600,
  });
  const [apns_production, apns_sandbox, fcm, oauthFace] = await Promise.all([
    startApns({ ...apns, face: 'apns_production', port: options.apnsPort ?? 0 }, around),
    startApns({ ...apns, face: 'apns_sandbox', port: options.apnsSandboxPort ?? 0 }, around),
    startFcm({ port: options.fcmPort ?? 0, projectId: serviceAccount.project_id, oauth }, around),
    startOAuth({ port: options.oauthPort ?? 0, oauth }, around),
  ]);
  tokenUrl = `https://127.0.0.1:${oauthFace.listener.port}/token`;
  return { apns_production, apns_sandbox, fcm, oauth: oauthFace, tokenUrl, revokeAccessTokens: oauth.revokeAll };
}
