import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../src/contract/api-key.ts';
import type { NewDevice, StoreClient } from '../../src/store/calls.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { ADA } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { issueToken } from '../support/sandbox/tokens.ts';
import { linesOf } from '../support/world.ts';

/** Devices by channel. `crowd` has those of `apns`, too, and `team` the first of them. */
export const DEVICES = {
  quiet: 0,
  single: 1,
  team: 2_000,
  apns: 10_000,
  crowd: 100_000,
} as const;

/** Channels that the part `on-call` adds. */
export const ON_CALL_CHANNELS = ['for-everyone', 'by-rota'] as const;

export type BenchChannel = keyof typeof DEVICES | (typeof ON_CALL_CHANNELS)[number];

/** Data folders to copy, and what opens the door to them. */
export interface Fixture {
  /** A workspace with its channels, and one device. */
  readonly emptyDir: string;
  /** All devices. */
  readonly devicesDir: string;
  readonly apiKey: string;
  /** The key of another workspace's sender, bound to its one channel, with twenty posts a second. */
  readonly attackerKey: string;
  /** A device of the channel `single`. */
  readonly oneToken: string;
  /** The devices of the channel `apns`. */
  readonly apnsTokens: readonly string[];
}

const DAY_MS = 86_400_000;
const IMPORTED_AT_ONCE = 1_000;

export async function makeFixture(folder: string): Promise<Fixture> {
  const single = device('single');
  const apns = Array.from({ length: DEVICES.apns }, (_, n) =>
    device('apns', 'crowd', ...(n < DEVICES.team ? (['team'] as const) : [])),
  );
  const crowd = Array.from({ length: DEVICES.crowd - DEVICES.apns }, () => device('crowd'));
  const { id, secretHash, text: apiKey } = createApiKey(randomBytes);
  const attacker = createApiKey(randomBytes);
  const emptyDir = join(folder, 'empty');
  const devicesDir = join(folder, 'devices');
  for (const [dataDir, devices] of [
    [emptyDir, [single]],
    [devicesDir, [single, ...apns, ...crowd]],
  ] as const) {
    mkdirSync(dataDir, { mode: 0o700 });
    const store = await openLocalStore({ dataDir, settings: { ...SETTINGS } });
    await found(store);
    const scopes = ['events:write', 'events:read'] as const;
    granted(await store.issueKey({ workspace: 'acme', id, secretHash, scopes }));
    await foundAttacker(store, attacker);
    await importAll(store, devices);
    await store.close();
  }
  return {
    emptyDir,
    devicesDir,
    apiKey,
    attackerKey: attacker.text,
    oneToken: single.token,
    apnsTokens: apns.map(({ token }) => token),
  };
}

/** Settings of the stores that the benchmark opens itself. */
export const SETTINGS = {
  routes: ['apns_production', 'fcm'],
  addresses: { pushHosts: [], apps: [] },
  ttlMs: DAY_MS,
  longestWaitMs: 900_000,
  eventsRetentionMs: 90 * DAY_MS,
  deliveriesRetentionMs: 30 * DAY_MS,
  auditRetentionMs: 365 * DAY_MS,
  statsRetentionMs: 400 * DAY_MS,
  sessions: { lifeMs: 90 * DAY_MS, isProviderOnly: false },
  limits: { channels: 500, heartbeats: 100, keys: 200, members: 500, devices: 50 },
  maxSizeBytes: null,
} as const;

async function found(store: StoreClient): Promise<void> {
  granted(await store.createWorkspace({ slug: 'acme' }));
  for (const slug of Object.keys(DEVICES)) granted(await store.createChannel({ workspace: 'acme', slug }));
  granted(await store.addMember({ workspace: 'acme', email: ADA, role: 'owner' }));
}

async function foundAttacker(store: StoreClient, { id, secretHash }: ReturnType<typeof createApiKey>): Promise<void> {
  granted(await store.createWorkspace({ slug: 'evil' }));
  granted(await store.createChannel({ workspace: 'evil', slug: 'alerts' }));
  const bound = { scopes: ['events:write'], channels: ['alerts'], burstPerMinute: 1_200 } as const;
  granted(await store.issueKey({ workspace: 'evil', id, secretHash, ...bound }));
}

/** In parts of `IMPORTED_AT_ONCE`, as `pushctl device import` does. */
export async function importAll(store: StoreClient, devices: readonly NewDevice[], email = ADA): Promise<void> {
  const place = { importId: randomUUID(), workspace: 'acme', email };
  for (let from = 0; from < devices.length; from += IMPORTED_AT_ONCE) {
    granted(
      await store.stageImport({ ...place, lines: linesOf(devices.slice(from, from + IMPORTED_AT_ONCE), from + 1) }),
    );
  }
  granted(await store.commitImport(place));
  while (!granted(await store.registerImported(place)).done);
}

type AppDevice = NewDevice & { readonly token: string };

export function device(...subscribe: (keyof typeof DEVICES)[]): AppDevice {
  return { platform: 'ios', token: issueToken({ platform: 'ios' }), subscribe };
}
