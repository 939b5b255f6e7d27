import { v7 } from 'uuid';
import { type AcceptAnswer, type AcceptArgs, isRefusal, type NewDevice, type Refusal } from '../../src/store/calls.ts';
import type { StoreSettings } from '../../src/store/handlers.ts';
import { type TemporaryStore, temporaryStore } from './store.ts';

export const NOW_MS = Date.UTC(2026, 10, 21, 9, 30, 0, 123);
export const HOUR_MS = 3_600_000;
export const EMAIL = 'ana@example.com';

/** A store with workspace `acme`, its channel `deploys`, and its owner. */
export interface World extends TemporaryStore {
  readonly workspaceId: number;
}

export function aWorld(settings: Partial<StoreSettings> = {}): World {
  const store = temporaryStore(settings);
  const workspaceId = addWorkspace(store, 'acme');
  granted(store.calls.createChannel({ workspace: 'acme', slug: 'deploys', wallMs: NOW_MS }));
  granted(store.calls.addMember({ workspace: 'acme', email: EMAIL, role: 'owner', wallMs: NOW_MS }));
  return { ...store, workspaceId };
}

/** Answers the workspace's internal id. */
export function addWorkspace({ calls, db }: TemporaryStore, slug: string): number {
  granted(calls.createWorkspace({ slug, wallMs: NOW_MS }));
  return db.prepare<[string], number>('SELECT id FROM workspace WHERE slug = ?').pluck().get(slug) ?? 0;
}

/** Adds a device of the owner's, and answers its public id. */
export function addDevice({ calls }: TemporaryStore, device: Partial<NewDevice> = {}, email = EMAIL): string {
  const added = calls.addDevice({ workspace: 'acme', email, ...aDevice(device), wallMs: NOW_MS });
  return granted(added).device.id;
}

export function aDevice(with_: Partial<NewDevice> = {}): NewDevice {
  return { platform: 'ios', token: 'ab'.repeat(32), subscribe: ['deploys'], ...with_ };
}

/** The token of the n-th iOS device. */
export function tokenOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

export function anEvent({ workspaceId }: Pick<World, 'workspaceId'>, with_: Partial<AcceptArgs> = {}): AcceptArgs {
  return {
    workspaceId,
    uuid: v7(),
    channel: 'deploys',
    title: 'Deploy finished',
    description: null,
    level: 'info',
    urgency: 'standard',
    eventType: null,
    idempotencyKey: null,
    hadLinks: false,
    wallMs: NOW_MS,
    steadyMs: NOW_MS,
    ...with_,
  };
}

export function accept(world: World, with_: Partial<AcceptArgs> = {}): AcceptAnswer & { kind: 'accepted' } {
  const answer = world.calls.acceptEvent(anEvent(world, with_));
  if (answer.kind !== 'accepted') throw new Error(`not accepted: ${answer.kind}`);
  return answer;
}

/** The answer, which must not be a refusal. */
export function granted<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.message}`);
  return answer;
}

/** The refusal that the answer must be. */
export function refused(answer: unknown): Refusal {
  if (!isRefusal(answer)) throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer;
}

export function countRows({ db }: TemporaryStore, table: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}
