import { v7 } from 'uuid';
import type { AcceptArgs, ImportLine, NewDevice } from '../../src/store/calls.ts';
import type { StoreSettings } from '../../src/store/settings.ts';
import { ADA } from './cast.ts';
import { type Engine, SQLITE } from './engines.ts';
import { granted } from './refusals.ts';
import { NOW_MS, type SqliteStore, type TemporaryStore, type Timed, temporaryStore } from './store.ts';
import { aDevice, anEvent, aWorkspace, devicesOf, type TestWorkspace, type WorkspaceOptions } from './workspace.ts';

export { NOW_MS };
export const HOUR_MS = 3_600_000;

/** A store of one test's own with a workspace in it. */
export interface World extends TemporaryStore, TestWorkspace {
  /** Imports devices for the owner, or another member, to the end. */
  importDevices(devices: readonly NewDevice[], email?: string): Promise<{ imported: number; updated: number }>;
  /** Returns the arguments that accept an event on `alerts`. */
  anEvent(with_?: Partial<Timed<AcceptArgs>>): Timed<AcceptArgs>;
  accept(with_?: Partial<Timed<AcceptArgs>>): ReturnType<TestWorkspace['accept']>;
  /** A new event on `alerts`, which must be accepted. Answers its public id. */
  post(event?: Partial<Timed<AcceptArgs>>): Promise<string>;
}
export interface SqliteWorld extends Omit<World, 'restart'>, SqliteStore {}

export interface WorldOptions extends WorkspaceOptions, Partial<StoreSettings> {}

export async function aWorld(options?: WorldOptions): Promise<SqliteWorld>;
export async function aWorld(options: WorldOptions & { readonly engine: Engine }): Promise<World>;
export async function aWorld(options: WorldOptions & { readonly engine?: Engine } = {}): Promise<World> {
  const { engine = SQLITE, workspace = 'acme', channels, owner, devices, ...settings } = options;
  const store = await temporaryStore({ engine, ...settings });
  const { calls } = store;
  const made = await aWorkspace(calls, {
    workspace,
    ...(channels && { channels }),
    ...(owner !== undefined && { owner }),
  });
  const importDevices: World['importDevices'] = async (imported, email = ADA) => {
    const place = { importId: v7(), workspace, email };
    granted(await calls.stageImport({ ...place, lines: linesOf(imported) }));
    granted(await calls.commitImport(place));
    for (;;) {
      const { done, ...counts } = granted(await calls.registerImported(place));
      if (done) return counts;
    }
  };
  const wanted = devicesOf(made.workspaceId, devices);
  // Hundreds take a tenth of the time so.
  const areMany = wanted.length >= 100;
  if (areMany) await importDevices(wanted.map(aDevice), owner ?? ADA);
  const ids = areMany
    ? granted(await calls.listDevices({ workspace, limit: wanted.length })).devices.map(({ id }) => id)
    : await Promise.all(wanted.map((device) => made.addDevice(device)));
  return {
    ...store,
    ...made,
    devices: ids,
    importDevices,
    anEvent: (with_) => anEvent(made.workspaceId, with_),
    post: async (event) => (await made.accept(event)).event.public_id,
  };
}

/** The devices as the lines of a file. */
export function linesOf(devices: readonly NewDevice[], first = 1): readonly ImportLine[] {
  return devices.map((device, index) => ({ line: first + index, device }));
}
