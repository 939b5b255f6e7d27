import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { createApiKey } from '../../src/contract/api-key.ts';
import { plainEvent } from '../../src/contract/event-body.ts';
import type { Role } from '../../src/push.ts';
import type { AcceptAnswer, AcceptArgs, ArgsOf, NewDevice, StoreClient } from '../../src/store/calls.ts';
import { ADA } from './cast.ts';
import { cheapHash } from './password.ts';
import { granted } from './refusals.ts';

/** The calls of a store, whatever carries them: in process, over a thread, over the socket of a server. */
export type Calls = Omit<StoreClient, 'as' | 'transport' | 'close'>;

export interface WorkspaceOptions {
  /** Its slug. */
  readonly workspace?: string;
  readonly channels?: readonly string[];
  /** null: it has no members yet. */
  readonly owner?: string | null;
  /** How many devices the owner has, each on `alerts`. */
  readonly devices?: Partial<Record<'ios' | 'sandbox' | 'android', number>>;
}

/** How a person joins a workspace: as a member of this one by default. */
export interface Place {
  readonly workspace?: string;
  readonly role?: Role;
  readonly password?: string;
}

type Accepted = AcceptAnswer & { readonly kind: 'accepted' };

/** How a test adds to a workspace as an operator would, also over the socket of a server. */
export interface Additions {
  /** Adds a member. */
  join(email: string, place?: Place): Promise<void>;
  /** Adds a device of the owner's, or of another member's, and answers its public id. */
  addDevice(device?: Partial<NewDevice>, email?: string): Promise<string>;
  /** Posts and reads by default. */
  issueKey(options?: Partial<ArgsOf<'issueKey'>>): Promise<{ readonly id: string; readonly text: string }>;
}

/** A workspace in a store, and how a test adds to it. */
export interface TestWorkspace extends Omit<Additions, 'join'> {
  readonly workspaceId: number;
  /** The public ids of the devices that it was made with: iOS, then of Apple's sandbox, then Android. */
  readonly devices: readonly string[];
  /** Another workspace, which nothing is in unless the options say so. */
  addWorkspace(slug: string, options?: Omit<WorkspaceOptions, 'workspace'>): Promise<TestWorkspace>;
  /** Adds a member, as an operator would, and returns their internal id. */
  join(email: string, place?: Place): Promise<number>;
  /** A new event on `alerts`, which must be accepted. */
  accept(with_?: Partial<AcceptArgs>): Promise<Accepted>;
}

/** The workspace `acme` with its channel `alerts` and its owner, unless the options say otherwise. */
export async function aWorkspace(calls: Calls, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  await populate(calls, options);
  const workspaceId = await workspaceIdOf(calls, options.workspace ?? 'acme');
  const additions = additionsTo(calls, options);
  return {
    ...additions,
    workspaceId,
    devices: await Promise.all(devicesOf(workspaceId, options.devices).map((device) => additions.addDevice(device))),
    addWorkspace: (slug, more) => aWorkspace(calls, { channels: [], owner: null, ...more, workspace: slug }),
    async join(email, place) {
      await additions.join(email, place);
      return userIdOf(calls, email);
    },
    async accept(with_) {
      const answer = await calls.acceptEvent(anEvent(workspaceId, with_));
      if (answer.kind !== 'accepted') throw new Error(`not accepted: ${answer.kind}`);
      return answer;
    },
  };
}

/** Makes the workspace with its channels and its owner. */
export async function populate(calls: Calls, options: WorkspaceOptions = {}): Promise<void> {
  const { workspace = 'acme', channels = ['alerts'], owner = ADA } = options;
  granted(await calls.createWorkspace({ slug: workspace }));
  for (const slug of channels) granted(await calls.createChannel({ workspace, slug }));
  if (owner !== null) granted(await calls.addMember({ workspace, email: owner, role: 'owner' }));
}

/** To a workspace that is there. */
export function additionsTo(calls: Calls, { workspace = 'acme', owner }: WorkspaceOptions = {}): Additions {
  return {
    async join(email, { password, ...place } = {}) {
      const stored = password === undefined ? {} : { password: cheapHash(password) };
      granted(await calls.addMember({ workspace, email, role: 'member', ...place, ...stored }));
    },
    addDevice: async (device = {}, email = owner ?? ADA) =>
      granted(await calls.addDevice({ workspace, email, ...aDevice(device) })).device.id,
    async issueKey(with_) {
      const { id, secretHash, text } = createApiKey(randomBytes);
      const scopes = ['events:write', 'events:read'] as const;
      granted(await calls.issueKey({ workspace, id, secretHash, scopes, ...with_ }));
      return { id, text };
    },
  };
}

/** The workspace's internal id. */
export async function workspaceIdOf(calls: Calls, workspace: string): Promise<number> {
  return granted(await calls.findWatched({ workspace })).workspaceId ?? 0;
}

export function aDevice(with_: Partial<NewDevice> = {}): NewDevice {
  const address = with_.subscription === undefined ? { token: 'ab'.repeat(32) } : {};
  return { platform: 'ios', ...address, subscribe: ['alerts'], ...with_ };
}

/** The token of the n-th iOS device. */
export function tokenOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

/** Returns the arguments that accept an event on `alerts`. */
export function anEvent(workspaceId: number, with_: Partial<AcceptArgs> = {}): AcceptArgs {
  const { links: _, ...posted } = plainEvent('alerts', 'Disk full');
  const ofNoKey = { boundKeyId: null, postedBy: null, linksMark: null } as const;
  return { ...posted, ...ofNoKey, workspaceId, uuid: v7(), hadLinks: false, ...with_ };
}

/** A member's internal id. */
export async function userIdOf(calls: Calls, email: string): Promise<number> {
  const user = await calls.findUser({ email });
  if (user === null) throw new Error(`no member has the address ${email}`);
  return user.userId;
}

/** No two workspaces of a store have a token in common. */
export function devicesOf(
  workspaceId: number,
  { ios = 0, sandbox = 0, android = 0 }: NonNullable<WorkspaceOptions['devices']> = {},
): readonly Partial<NewDevice>[] {
  const many = (count: number, device: Partial<NewDevice>) => Array.from({ length: count }, () => device);
  return [
    ...many(ios, { platform: 'ios', environment: 'production' }),
    ...many(sandbox, { platform: 'ios', environment: 'sandbox' }),
    ...many(android, { platform: 'android' }),
  ].map((device, index) => ({ ...device, token: tokenOf(workspaceId * 1_000_000 + index) }));
}
