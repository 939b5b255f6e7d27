import { systemClock } from '../../src/clock.ts';
import { createApnsClient } from '../../src/providers/apns/client.ts';
import type { PushClient } from '../../src/providers/client.ts';
import { createFcmClient } from '../../src/providers/fcm/client.ts';
import type { ProviderSettings } from '../../src/providers/table.ts';
import type { Environment, Outcome, Route, TokenKind } from '../../src/push.ts';
import type { BehaviourName } from '../../src/sandbox/behaviours.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { Opened } from './opened.ts';
import { aBatch, aTarget, type BatchOptions } from './pushes.ts';

type Both = Required<Pick<ProviderSettings, 'apns' | 'fcm'>>;

export function settingsOf(sandbox: Sandbox): Both {
  const { pem, keyId, teamId } = sandbox.apnsKey;
  return {
    apns: {
      key: pem,
      keyId,
      teamId,
      topic: sandbox.topic,
      endpointProduction: sandbox.apns.productionUrl,
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
  };
}

/** So long no answer takes, on the busiest machine. */
const PATIENT_MS = 30_000;
/** For tests that wait for the deadline itself: a busy machine answers well within it. */
export const TEST_DEADLINE_MS = 3_000;

/** A provider of the route with a sandbox of its own, both gone after the test. */
export async function withProvider(
  route: Route,
  test: (parts: ProviderInTest) => Promise<void>,
  options: SandboxOptions & {
    settings?: (settings: Both) => ProviderSettings;
    inFlight?: number;
    deadlineMs?: number;
  } = {},
): Promise<void> {
  await using opened = new Opened();
  const sandbox = opened.add(await startSandbox(options));
  const settings = { ...settingsOf(sandbox), ...options.settings?.(settingsOf(sandbox)) };
  const limits = { deadlineMs: options.deadlineMs ?? PATIENT_MS, inFlight: options.inFlight ?? 100 };
  const provider =
    route === 'fcm'
      ? createFcmClient(route, settings.fcm, systemClock(), limits)
      : createApnsClient(route, settings.apns, systemClock(), limits);
  opened.add(provider);
  await test({ sandbox, provider, ...sendersOf(route, sandbox, provider) });
}

/** For tests that wait for the deadline: it comes soon. */
export const withImpatientProvider: typeof withProvider = (route, test, options) =>
  withProvider(route, test, { ...options, deadlineMs: TEST_DEADLINE_MS });

export interface ProviderInTest {
  readonly sandbox: Sandbox;
  readonly provider: PushClient;
  token(behaviour?: BehaviourName, parameter?: number, tokenKind?: TokenKind): string;
  /** Sends one push to each token and answers what became of it, in order. */
  send(tokens: readonly string[], batch?: BatchOptions): Promise<readonly Outcome[]>;
}

function sendersOf(route: Route, sandbox: Sandbox, provider: PushClient): Pick<ProviderInTest, 'token' | 'send'> {
  const environment: Environment = route === 'apns_sandbox' ? 'sandbox' : 'production';
  return {
    token: (behaviour = 'accept', parameter = 0, tokenKind = 'token') =>
      sandbox.token(
        route === 'fcm'
          ? { platform: 'android', behaviour, parameter, tokenKind }
          : { platform: 'ios', environment, behaviour, parameter },
      ),
    async send(tokens, batch = {}) {
      const targets = tokens.map((token, deviceId) => aTarget({ deviceId, token, tokenKind: kindOf(route, token) }));
      const sent = await provider.send(aBatch({ route, targets, ...batch }));
      return [...sent].sort((a, b) => a.deviceId - b.deviceId).map(({ outcome }) => outcome);
    },
  };
}

function kindOf(route: Route, token: string): TokenKind {
  return route === 'fcm' && !token.includes(':') ? 'installation_id' : 'token';
}
