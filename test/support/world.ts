import { v7 } from 'uuid';
import { plainEvent } from '../../src/contract/posted-event.ts';
import type { AcceptAnswer, AcceptArgs, ImportLine, NewDevice } from '../../src/store/calls.ts';
import type { StoreSettings } from '../../src/store/settings.ts';
import { ADA } from './cast.ts';
import { type Engine, SQLITE } from './engines.ts';
import { granted } from './refusals.ts';
import { NOW_MS, type SqliteStore, type TemporaryStore, type Timed, temporaryStore } from './store.ts';

export { NOW_MS };
export const HOUR_MS = 3_600_000;

type Accepted = AcceptAnswer & { readonly kind: 'accepted' };

/** A store with workspace `acme`, its channel `alerts`, and its owner. */
export interface World extends TemporaryStore {
  readonly workspaceId: number;
  /** Answers the workspace's internal id. */
  addWorkspace(slug: string): Promise<number>;
  /** Adds a device of the owner's, or of another member's, and answers its public id. */
  addDevice(device?: Partial<NewDevice>, email?: string): Promise<string>;
  /** Imports devices for the owner, or another member, to the end. */
  importDevices(devices: readonly NewDevice[], email?: string): Promise<{ imported: number; updated: number }>;
  /** What an event on `alerts` is accepted by, now. */
  anEvent(with_?: Partial<Timed<AcceptArgs>>): Timed<AcceptArgs>;
  /** A new event on `alerts`, which must be accepted. */
  accept(with_?: Partial<Timed<AcceptArgs>>): Promise<Accepted>;
}
export interface SqliteWorld extends Omit<World, 'restart'>, SqliteStore {}

export async function aWorld(settings?: Partial<StoreSettings>): Promise<SqliteWorld>;
export async function aWorld(of: Partial<StoreSettings> & { readonly engine: Engine }): Promise<World>;
export async function aWorld(of: Partial<StoreSettings> & { readonly engine?: Engine } = {}): Promise<World> {
  const { engine = SQLITE, ...settings } = of;
  const store = await temporaryStore({ engine, ...settings });
  const { calls } = store;
  const addWorkspace: World['addWorkspace'] = async (slug) => {
    granted(await calls.createWorkspace({ slug }));
    return workspaceIdOf(store, slug);
  };
  const workspaceId = await addWorkspace('acme');
  granted(await calls.createChannel({ workspace: 'acme', slug: 'alerts' }));
  granted(await calls.addMember({ workspace: 'acme', email: ADA, role: 'owner' }));
  return {
    ...store,
    workspaceId,
    addWorkspace,
    addDevice: async (device = {}, email = ADA) =>
      granted(await calls.addDevice({ workspace: 'acme', email, ...aDevice(device) })).device.id,
    async importDevices(devices, email = ADA) {
      const place = { importId: v7(), workspace: 'acme', email };
      granted(await calls.stageImport({ ...place, lines: linesOf(devices) }));
      granted(await calls.commitImport(place));
      for (;;) {
        const { done, ...counts } = granted(await calls.registerImported(place));
        if (done) return counts;
      }
    },
    anEvent: (with_) => anEvent(workspaceId, with_),
    async accept(with_) {
      const answer = await calls.acceptEvent(anEvent(workspaceId, with_));
      if (answer.kind !== 'accepted') throw new Error(`not accepted: ${answer.kind}`);
      return answer;
    },
  };
}

/** The workspace's internal id. */
export async function workspaceIdOf({ calls }: TemporaryStore, workspace: string): Promise<number> {
  return granted(await calls.findWatched({ workspace })).workspaceId ?? 0;
}

export function aDevice(with_: Partial<NewDevice> = {}): NewDevice {
  return { platform: 'ios', token: 'ab'.repeat(32), subscribe: ['alerts'], ...with_ };
}

/** The devices as the lines of a file. */
export function linesOf(devices: readonly NewDevice[], first = 1): readonly ImportLine[] {
  return devices.map((device, index) => ({ line: first + index, device }));
}

/** The token of the n-th iOS device. */
export function tokenOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

export function anEvent(workspaceId: number, with_: Partial<Timed<AcceptArgs>> = {}): Timed<AcceptArgs> {
  const { links: _, ...posted } = plainEvent('alerts', 'Deploy finished');
  return {
    ...posted,
    workspaceId,
    boundKeyId: null,
    uuid: v7(),
    hadLinks: false,
    linksMark: null,
    wallMs: NOW_MS,
    steadyMs: NOW_MS,
    ...with_,
  };
}
