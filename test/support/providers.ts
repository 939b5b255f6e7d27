import type { WebPushRoute } from '../../src/contract/push-services.ts';
import { createClient } from '../../src/providers/clients.ts';
import type { PushClient } from '../../src/providers/provider.ts';
import type { ProviderSettings } from '../../src/providers/table.ts';
import { type Outcome, PROVIDERS, platformOf, type Route, type Target, type TokenKind } from '../../src/push.ts';
import { aBatch, aTarget, type BatchOptions } from './pushes.ts';
import { Resources } from './resources.ts';
import type { BehaviourName } from './sandbox/behaviours.ts';
import type { Sandbox, SandboxOptions } from './sandbox/start.ts';
import type { TokenRequest } from './sandbox/tokens.ts';
import { aSandbox } from './sandbox.ts';
import { OUR_KEYS } from './web-push.ts';

type All = Required<ProviderSettings>;

export function settingsOf(sandbox: Sandbox): All {
  const { pem, keyId, teamId } = sandbox.apnsKey;
  return {
    apns: {
      key: pem,
      keyId,
      teamId,
      topic: sandbox.topic,
      topics: sandbox.topics,
      endpointProduction: sandbox.apns.productionUrl,
      critical: false,
      endpointSandbox: sandbox.apns.sandboxUrl,
      ca: sandbox.caPem,
    },
    fcm: {
      serviceAccount: sandbox.serviceAccount,
      style: 'data',
      endpoint: sandbox.fcm.url,
      tokenEndpoint: sandbox.fcm.tokenUrl,
      ca: sandbox.caPem,
    },
    webpush: {
      contact: 'mailto:operations@example.com',
      vapid: OUR_KEYS,
      appUrl: 'https://push.example.com',
      hosts: [],
      endpoints: Object.fromEntries(
        PROVIDERS.webpush.routes.map((route) => [
          new URL(sandbox.token({ platform: 'web', service: route })).origin,
          sandbox.webpush.urls[route],
        ]),
      ),
      ca: sandbox.caPem,
    },
  };
}

/** So long no answer takes, on the busiest machine. */
const PATIENT_MS = 30_000;
/** Deadlines for tests that wait for the deadline itself: a busy machine answers well within it. */
export const TEST_DEADLINE_MS = 5_000;

/** A provider of the route with a sandbox of its own, both gone after the test. */
export async function withProvider(
  route: Route,
  test: (parts: ProviderInTest) => Promise<void>,
  options: SandboxOptions & {
    settings?: (settings: All) => ProviderSettings;
    inFlight?: number;
    deadlineMs?: number;
  } = {},
): Promise<void> {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox(options));
  const settings = { ...settingsOf(sandbox), ...options.settings?.(settingsOf(sandbox)) };
  const limits = { deadlineMs: options.deadlineMs ?? PATIENT_MS, inFlight: options.inFlight ?? 100 };
  const provider = await createClient(route, settings, limits);
  if (provider === null) throw new Error('every provider is configured');
  opened.add(provider);
  await test({ sandbox, provider, ...sendersOf(route, sandbox, provider) });
}

/** Deadlines for tests that wait for the deadline: it comes soon. */
export const withImpatientProvider: typeof withProvider = (route, test, options) =>
  withProvider(route, test, { ...options, deadlineMs: TEST_DEADLINE_MS });

export interface ProviderInTest {
  readonly sandbox: Sandbox;
  readonly provider: PushClient;
  token(behaviour?: BehaviourName, parameter?: number, tokenKind?: TokenKind): string;
  /** A device that has it, with all that a push to it needs. */
  target(token: string): Target;
  /** Sends one push to each token and answers what became of it, in order. */
  send(tokens: readonly string[], batch?: BatchOptions): Promise<readonly Outcome[]>;
}

function sendersOf(route: Route, sandbox: Sandbox, provider: PushClient): Omit<ProviderInTest, 'sandbox' | 'provider'> {
  const home: TokenRequest = {
    platform: platformOf(route),
    ...(route === 'apns_sandbox' && { environment: 'sandbox' }),
    ...(isWebPush(route) && { service: route }),
  };
  const target = (token: string) => aTarget({ token, ...whatGoesWith(token) });
  return {
    target,
    token: (behaviour = 'accept', parameter = 0, tokenKind = 'token') =>
      sandbox.token({ ...home, behaviour, parameter, tokenKind }),
    async send(tokens, batch = {}) {
      const targets = tokens.map((token, deviceId) => ({ ...target(token), deviceId }));
      const sent = await provider.send(aBatch({ route, targets, ...batch }));
      return [...sent].sort((a, b) => a.deviceId - b.deviceId).map(({ outcome }) => outcome);
    },
  };

  function whatGoesWith(token: string): Partial<Target> {
    if (isWebPush(route)) return { keys: JSON.stringify(sandbox.webpush.keysOf(token)) };
    return route === 'fcm' && !token.includes(':') ? { tokenKind: 'installation_id' } : {};
  }
}

function isWebPush(route: Route): route is WebPushRoute {
  return platformOf(route) === 'web';
}
