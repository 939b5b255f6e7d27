import * as assert from 'uvu/assert';
import { UNPROVEN } from '../../src/delivery/route-relay.ts';
import type { Push } from '../../src/sandbox/journal.ts';
import type { DeliveryLine } from '../../src/store/calls.ts';
import { eventIdOf, replacesItsCopies } from '../crash/arrivals.ts';
import { granted } from './refusals.ts';
import { Resources } from './resources.ts';
import type { TestAnswer } from './sandbox/answers.ts';
import type { Outage } from './sandbox/outages.ts';
import type { TokenRequest } from './sandbox/tokens.ts';
import { settled, startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { until } from './until.ts';

/**
 * Settings for tests that wait until a push is given up. A busy machine may also give up other pushes, so tests must
 * not mind a second try.
 */
export const IMPATIENT: Pick<TestServerOptions, 'pool'> = { pool: { limits: { deadlineMs: 700 } } };

/** A route of each provider. Of the push services it is Apple's, whose refusals have names. */
export const FAULTY_ENDPOINTS = ['apns_production', 'fcm', 'webpush_apple'] as const;
export type FaultyEndpoint = (typeof FAULTY_ENDPOINTS)[number];
const DEVICES: Readonly<Record<FaultyEndpoint, TokenRequest>> = {
  apns_production: { platform: 'ios' },
  fcm: { platform: 'android' },
  webpush_apple: { platform: 'web', service: 'webpush_apple' },
};

export interface FaultTest extends TestServer {
  /** Parsed lines of the log. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Subscribes so many devices at this provider, to `alerts` or the named channel; answers their tokens. */
  addDevices(
    endpoint: FaultyEndpoint,
    count: number,
    request?: Pick<TokenRequest, 'behaviour'>,
    channel?: string,
  ): Promise<readonly string[]>;
  /** Why the route paused, logged once each time. */
  pauses(endpoint: FaultyEndpoint): readonly string[];
  /** Why devices were refused while none was accepted, logged once each time. */
  unproven(endpoint: FaultyEndpoint): readonly string[];
  /** Returns the outcomes of the event by the device's public id. */
  deliveries(publicId: string): Promise<readonly DeliveryLine[]>;
  copies(publicId: string, token: string): readonly Push[];
}

/** The whole server, gone after the test. */
export async function withServer(
  test: (server: FaultTest) => Promise<void>,
  options: Pick<TestServerOptions, 'env' | 'pool' | 'sandbox'> = {},
): Promise<void> {
  await using opened = new Resources();
  const log: Record<string, unknown>[] = [];
  const started = await startTestServer(opened, { ...options, log: (line) => log.push(JSON.parse(line)) });
  const { sandbox, team } = started;
  await test({
    ...started,
    log,
    async addDevices(endpoint, count, request = {}, channel = 'alerts') {
      const tokens: string[] = [];
      for (let device = 0; device < count; device += 1) {
        tokens.push((await team.addDevice(sandbox, { ...DEVICES[endpoint], ...request }, channel)).token);
      }
      return tokens;
    },
    pauses: (endpoint) => reasons(log, 'route paused, its pushes wait', endpoint),
    unproven: (endpoint) => reasons(log, UNPROVEN, endpoint),
    async deliveries(publicId) {
      const shown = granted(await team.store.showEvent({ publicId, limit: 1_000 }));
      return shown.deliveries;
    },
    copies: (publicId, token) => sandbox.pushes.filter((push) => push.token === token && eventIdOf(push) === publicId),
  });
}

export type Fault = { readonly name: string } & ({ readonly answer: TestAnswer } | { readonly outage: Outage });

/**
 * Makes the fault at one provider and posts an event for devices of both. Ends the fault once it has struck and the
 * other provider has its pushes. Then every device has the event, and copies of it show as one.
 */
export async function survive(
  server: FaultTest,
  endpoint: FaultyEndpoint,
  fault: Fault,
  struck: readonly string[],
  others: readonly string[],
): Promise<void> {
  const { sandbox, team } = server;
  const seen = {
    accepted: sandbox.counts.accepted,
    refused: sandbox.counts.refused,
    pauses: server.pauses(endpoint).length,
  };
  const fix = await breakDown(server, endpoint, fault);
  const { body } = await team.post({ title: fault.name, url: 'https://example.com/' });
  const publicId = body.event.public_id;
  await until(`${fault.name}: the other provider's pushes`, () =>
    others.every((token) => server.copies(publicId, token).length > 0),
  );
  await until(`${fault.name} at ${endpoint}`, () => hasStruck(server, endpoint, publicId, struck, seen));
  await fix();
  const { deliveries } = await settled(team, publicId);
  assert.is(deliveries.accepted, struck.length + others.length, `${fault.name}: ${JSON.stringify(deliveries)}`);
  for (const token of [...struck, ...others]) {
    const copies = server.copies(publicId, token);
    assert.ok(copies.length > 0, `${fault.name}: ${token} never got it`);
    assert.ok(copies.every(replacesItsCopies), `${fault.name}: copies of it do not show as one`);
  }
}

async function breakDown({ sandbox }: FaultTest, endpoint: FaultyEndpoint, fault: Fault): Promise<() => Promise<void>> {
  if ('outage' in fault) {
    await sandbox.setOutage(endpoint, fault.outage);
    return () => sandbox.setOutage(endpoint, 'none');
  }
  const takeBack = sandbox.behave({ match: { endpoint }, answer: fault.answer });
  return async () => takeBack();
}

/** A request was met by it, or, where no request gets through, the route has paused. */
function hasStruck(
  server: FaultTest,
  endpoint: FaultyEndpoint,
  publicId: string,
  tokens: readonly string[],
  seen: { readonly refused: number; readonly pauses: number },
): boolean {
  if (server.sandbox.counts.refused > seen.refused) return true;
  if (server.pauses(endpoint).length > seen.pauses) return true;
  return tokens.some((token) => server.copies(publicId, token).length > 0);
}

function reasons(
  log: readonly Readonly<Record<string, unknown>>[],
  message: string,
  endpoint: FaultyEndpoint,
): readonly string[] {
  return log.filter(({ msg, route }) => msg === message && route === endpoint).map(({ reason }) => String(reason));
}
