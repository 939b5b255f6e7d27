import * as assert from 'uvu/assert';
import { IN_DOUBT } from '../../src/delivery/route-relay.ts';
import type { Answer } from '../../src/sandbox/behaviours.ts';
import type { Push } from '../../src/sandbox/journal.ts';
import type { Outage } from '../../src/sandbox/listener.ts';
import type { TokenRequest } from '../../src/sandbox/tokens.ts';
import { type DeliveryLine, isRefusal } from '../../src/store/calls.ts';
import { eventIdOf } from '../crash/arrivals.ts';
import { Opened } from './opened.ts';
import { settled, startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { until } from './until.ts';

/** Long enough for a busy machine to answer in time, short enough to wait for. */
export const DEADLINE_MS = 700;

export type FaultyFace = 'apns_production' | 'fcm';
export interface FaultTest extends TestServer {
  /** Parsed lines of the log. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Subscribes so many devices at this provider; answers their tokens. */
  addDevices(face: FaultyFace, count: number, request?: Partial<TokenRequest>): Promise<readonly string[]>;
  /** Why the route paused, told once each time. */
  pauses(face: FaultyFace): readonly string[];
  /** Why devices were refused while none was accepted, told once each time. */
  doubts(face: FaultyFace): readonly string[];
  /** What became of the event, device by device, by the device's public id. */
  deliveries(publicId: string): Promise<readonly DeliveryLine[]>;
  copies(publicId: string, token: string): readonly Push[];
}

/** The whole server with short deadlines, gone after the test. */
export async function withServer(
  test: (server: FaultTest) => Promise<void>,
  options: Pick<TestServerOptions, 'env' | 'pool' | 'sandbox'> = {},
): Promise<void> {
  await using opened = new Opened();
  const log: Record<string, unknown>[] = [];
  const pool = { limits: { deadlineMs: DEADLINE_MS }, ...options.pool };
  const started = await startTestServer(opened, { ...options, pool, log: (line) => log.push(JSON.parse(line)) });
  const { sandbox, team } = started;
  await test({
    ...started,
    log,
    async addDevices(face, count, request = {}) {
      const platform = face === 'fcm' ? 'android' : 'ios';
      const tokens: string[] = [];
      for (let device = 0; device < count; device += 1) {
        tokens.push((await team.addDevice(sandbox, { platform, ...request })).token);
      }
      return tokens;
    },
    pauses: (face) => reasons(log, 'route paused, its pushes wait', face),
    doubts: (face) => reasons(log, IN_DOUBT, face),
    async deliveries(publicId) {
      const shown = await team.store.showEvent({ publicId, limit: 1_000 });
      if (isRefusal(shown)) throw new Error(shown.message);
      return shown.deliveries;
    },
    copies: (publicId, token) => sandbox.pushes.filter((push) => push.token === token && eventIdOf(push) === publicId),
  });
}

export type Fault = { readonly name: string } & ({ readonly answer: Answer } | { readonly outage: Outage });

/**
 * Makes the fault at one provider, posts an event for devices of both, and mends it once it has struck and the other
 * provider has all that is its own. Then every device has the event, and copies of it show as one.
 */
export async function survive(
  server: FaultTest,
  face: FaultyFace,
  fault: Fault,
  struck: readonly string[],
  others: readonly string[],
): Promise<void> {
  const { sandbox, team } = server;
  const seen = {
    accepted: sandbox.counts.accepted,
    refused: sandbox.counts.refused,
    pauses: server.pauses(face).length,
  };
  const mend = await breakDown(server, face, fault);
  const { body } = await team.post({ title: fault.name, url: 'https://example.com/' });
  const publicId = body.event.public_id;
  await until(`${fault.name}: the other provider's pushes`, () =>
    others.every((token) => server.copies(publicId, token).length > 0),
  );
  await until(`${fault.name} at ${face}`, () => hasStruck(server, face, publicId, struck, seen));
  await mend();
  const { deliveries } = await settled(team, publicId);
  assert.is(deliveries.accepted, struck.length + others.length, `${fault.name}: ${JSON.stringify(deliveries)}`);
  for (const token of [...struck, ...others]) {
    const copies = server.copies(publicId, token);
    assert.ok(copies.length > 0, `${fault.name}: ${token} never got it`);
    for (const { face: at, headers } of copies) if (at !== 'fcm') assert.is(headers['apns-collapse-id'], publicId);
  }
}

async function breakDown({ sandbox }: FaultTest, face: FaultyFace, fault: Fault): Promise<() => Promise<void>> {
  if ('outage' in fault) {
    await sandbox.setOutage(face, fault.outage);
    return () => sandbox.setOutage(face, 'none');
  }
  const takeBack = sandbox.behave({ match: { face }, answer: fault.answer });
  return async () => takeBack();
}

/** A request was met by it, or, where no request gets through, the route has paused. */
function hasStruck(
  server: FaultTest,
  face: FaultyFace,
  publicId: string,
  tokens: readonly string[],
  seen: { readonly refused: number; readonly pauses: number },
): boolean {
  if (server.sandbox.counts.refused > seen.refused) return true;
  if (server.pauses(face).length > seen.pauses) return true;
  return tokens.some((token) => server.copies(publicId, token).length > 0);
}

function reasons(log: readonly Readonly<Record<string, unknown>>[], told: string, face: FaultyFace): readonly string[] {
  return log.filter(({ msg, route }) => msg === told && route === face).map(({ reason }) => String(reason));
}
