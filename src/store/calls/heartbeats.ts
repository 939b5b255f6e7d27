/** Heartbeats: expected signs of life of jobs and programs. */
import type { ApiSchema, BodyOf, QueryOf } from '../../contract/api-types.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

const MANAGED: readonly Topic[] = ['heartbeats'];
/** Calls that may resolve a heartbeat's alert. */
const MAY_RESOLVE: readonly Topic[] = ['alerts', 'heartbeats', 'queue'];

export const HEARTBEAT_CALLS = {
  createHeartbeat: call<NewHeartbeat, AddressedHeartbeat | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace, channel, slug }) => change('heartbeat.add', workspace, `${slug} on ${channel}`),
  }),
  /** `userId`: the asking member, who sees only their workspaces; plain members see no addresses. */
  listHeartbeats: call<{ workspace: string; userId?: number }, readonly Heartbeat[] | Refusal>({ reads: true }),
  /** Lists by slug. `q`: part of the name or slug. `after`: the previous page's `next`. */
  findHeartbeats: call<HeartbeatFilter & { workspace: string; userId?: number }, HeartbeatPage | Refusal>({
    reads: true,
    internal: true,
  }),
  showHeartbeat: call<{ workspace: string; slug: string; userId?: number }, Heartbeat | Refusal>({ reads: true }),
  /**
   * Changes a heartbeat. Absent fields stay. The next ping is expected by the new schedule. If the heartbeat is down
   * and changes channel, its alert in the old one is resolved.
   */
  updateHeartbeat: call<HeartbeatChange, Heartbeat | Refusal>({
    invalidates: MAY_RESOLVE,
    audit: ({ workspace, failures: asked }, { slug, channel, name, failures }) => {
      const downAfter =
        asked === undefined ? '' : `, down after ${failures} ${failures === 1 ? 'failure' : 'failures'}`;
      return change('heartbeat.change', workspace, `${slug} on ${channel}, "${name}"${downAfter}`);
    },
  }),
  /** Pauses a heartbeat: nothing is expected of it until it is resumed, or the next ping comes. */
  pauseHeartbeat: call<{ workspace: string; slug: string }, Heartbeat | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace, slug }) => change('heartbeat.pause', workspace, slug),
  }),
  /** Resumes a heartbeat like a new one: the next ping starts it. Unpaused ones stay unchanged. */
  resumeHeartbeat: call<{ workspace: string; slug: string }, Heartbeat | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace, slug }) => change('heartbeat.resume', workspace, slug),
  }),
  /** Returns the deleted heartbeat. Posts no event, even if down; its alert is resolved. */
  deleteHeartbeat: call<{ workspace: string; slug: string }, Heartbeat | Refusal>({
    invalidates: MAY_RESOLVE,
    audit: ({ workspace, slug }) => change('heartbeat.remove', workspace, slug),
  }),
  /** Finds the heartbeat that a key's ping names. */
  findNamedHeartbeat: call<NamedHeartbeat, FoundByName>({ reads: true, internal: true }),
  /** Adds the heartbeat in the key's channel, or finds it added meanwhile. */
  addNamedHeartbeat: call<NamedHeartbeat, AddedByName | Refusal>({
    internal: true,
    auditsKeys: true,
    invalidates: MANAGED,
    audit: ({ workspaceId: id, slug }, { isNew, channel }) =>
      isNew ? change('heartbeat.add', { id }, `${slug} on ${channel}`) : null,
  }),
  /** Adds or changes a heartbeat; absent fields get defaults. Keys must reach the channel. */
  putHeartbeat: call<PutHeartbeat, PutAnswer | Refusal>({
    internal: true,
    auditsKeys: true,
    invalidates: MAY_RESOLVE,
    audit({ workspaceId: id }, { heartbeat: { slug, channel, name }, done }) {
      if (done === 'nothing') return null;
      const object = `${slug} on ${channel}`;
      return done === 'added'
        ? change('heartbeat.add', { id }, object)
        : change('heartbeat.change', { id }, `${object}, "${name}"`);
    },
  }),
  /** Lists like `findHeartbeats`, in an integrator's channels. */
  listReachedHeartbeats: call<HeartbeatFilter & Reach, HeartbeatPage>({ reads: true, internal: true }),
  knowsHeartbeat: call<{ uuid: string }, boolean>({ reads: true, internal: true }),
  /** Records a ping. If the heartbeat goes down by it or comes back, an event is posted in the same transaction. */
  pingHeartbeat: call<Ping, PingAnswer>({
    internal: true,
    events: 'adds',
    invalidates: (answer) => (answer.kind === 'taken' && answer.posted !== null ? ['queue'] : []),
    audit: (_, answer) => (answer.kind === 'taken' && answer.posted !== null ? sent([answer.posted]) : null),
  }),
  /**
   * Records that pings can be received, and takes down some overdue heartbeats. `nextInMs`: when to call again; null:
   * no heartbeat.
   */
  tendHeartbeats: call<Record<string, never>, { nextInMs: number | null; posted: readonly Posted[] }>({
    internal: true,
    events: 'adds',
    invalidates: ({ posted }) => (posted.length > 0 ? ['queue'] : []),
    audit: (_, { posted }) => sent(posted),
  }),
};

/** `uuid`: of the ping address (`pingUrl`). Null: the caller is no owner or admin of the workspace, nor an operator. */
export interface Heartbeat extends Omit<ApiSchema<'Heartbeat'>, 'ping_url'> {
  readonly uuid: string | null;
}

export type HeartbeatFilter = Omit<QueryOf<'listHeartbeats'>, 'limit'> & { readonly limit: number };

interface HeartbeatPage {
  readonly heartbeats: readonly Heartbeat[];
  readonly next: string | null;
}

export interface AddressedHeartbeat extends Heartbeat {
  readonly uuid: string;
}

export type NewHeartbeat = BodyOf<'createHeartbeat'> & { readonly workspace: string };
export type HeartbeatChange = BodyOf<'updateHeartbeat'> & { readonly workspace: string; readonly slug: string };

/** `slug`: in lower case, as in Healthchecks: case does not matter. */
export interface NamedHeartbeat {
  readonly workspaceId: number;
  readonly keyId: string;
  /** The key's own. */
  readonly origin: string;
  readonly slug: string;
}
/** `unreachable`: in a channel beyond the key's reach. `ambiguous`: slugs that differ only in case. */
export type FoundByName =
  | { readonly kind: 'found'; readonly uuid: string }
  | { readonly kind: 'none' | 'unreachable' | 'ambiguous' };

interface AddedByName {
  readonly uuid: string;
  readonly channel: string;
  readonly isNew: boolean;
}

type PutHeartbeat = BodyOf<'putHeartbeat'> & Reach & { readonly slug: string };

interface PutAnswer {
  readonly heartbeat: AddressedHeartbeat;
  readonly done: 'added' | 'changed' | 'nothing';
}

const PING_KINDS = ['success', 'start', 'fail', 'log'] as const;
type PingKind = (typeof PING_KINDS)[number];

export interface Ping {
  readonly uuid: string;
  readonly kind: PingKind;
  /** Pairs a start with its end; null: none. */
  readonly rid: string | null;
  /** The end of the job's output; null: none. */
  readonly output: string | null;
  /** The ping's exit status. */
  readonly exitStatus: number | null;
  /** Origin of the key that pings by name. */
  readonly pingedBy?: string;
}
export type PingAnswer = { readonly kind: 'unknown' } | { readonly kind: 'taken'; readonly posted: Posted | null };

/** An event that the server queued itself. */
export interface Posted {
  readonly workspaceId: number;
  readonly publicId: string;
}

/** Returns the change for open apps. */
export function sent(posted: readonly Posted[]) {
  const [first, ...laterEvents] = posted;
  if (first === undefined) return null;
  const isOne = laterEvents.every(({ workspaceId }) => workspaceId === first.workspaceId);
  return change('event.send', isOne ? { id: first.workspaceId } : null, first.publicId);
}
