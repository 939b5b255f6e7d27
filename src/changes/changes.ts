import { canonicalEmail } from '../contract/names.ts';
import type { Change as Audited, OwnKind } from '../store/call.ts';
import { CALLS, isRefusal } from '../store/calls.ts';
import type { CallRequest } from '../store/reply.ts';

/** Kinds by views: see schemas/change.json. */
export const KINDS = [
  'everything',
  'inbox',
  'read',
  'channels',
  'heartbeats',
  'on_call',
  'alerts',
  'devices',
  'keys',
  'members',
  'events',
  'usage',
  'audit',
  'routes',
  'session',
  'sessions',
] as const;
type Kind = (typeof KINDS)[number];

/** Members, owners and admins, or one person. */
export const AUDIENCES = ['members', 'managers', 'person'] as const;

export interface Change<Of = Subject> {
  readonly kind: Kind;
  readonly audience: (typeof AUDIENCES)[number];
  readonly of: Of;
}
/** A workspace by slug or id, or a person by email; null: any. */
export type Subject = string | { readonly id: number } | null;
/** A reference to a key's workspace, or a session's workspaces. */
export type Reference = { readonly ofKey: string } | { readonly ofSession: string };
export type UnresolvedChange = Change<Subject | Reference>;

type Kinds = readonly Pick<Change, 'kind' | 'audience'>[];

/** Kinds by action, else by noun. */
const KINDS_OF: Readonly<Record<string, Kinds>> = {
  workspace: [{ kind: 'usage', audience: 'managers' }],
  plan: [{ kind: 'usage', audience: 'managers' }],
  alert: [{ kind: 'alerts', audience: 'members' }],
  channel: [{ kind: 'channels', audience: 'members' }],
  heartbeat: [{ kind: 'heartbeats', audience: 'members' }],
  maintenance: [{ kind: 'channels', audience: 'members' }],
  rota: [{ kind: 'on_call', audience: 'members' }],
  key: [{ kind: 'keys', audience: 'managers' }],
  member: [{ kind: 'members', audience: 'managers' }],
  // Members who leave also leave the rotas.
  'member.remove': [
    { kind: 'members', audience: 'managers' },
    { kind: 'on_call', audience: 'members' },
  ],
  device: [{ kind: 'devices', audience: 'managers' }],
  event: [
    { kind: 'inbox', audience: 'members' },
    { kind: 'events', audience: 'managers' },
  ],
  route: [{ kind: 'routes', audience: 'managers' }],
};
const AUDIT: Kinds = [{ kind: 'audit', audience: 'managers' }];

interface Declaration {
  readonly own?: OwnKind;
  readonly audit?: ((args: unknown, done: unknown) => Audited | null) | null;
  readonly changes?: (done: unknown) => { readonly noun: string; readonly workspaces: readonly number[] };
}

/** Returns a call's changes, from the declaration and the audit entry. */
export function changesOf(request: CallRequest, answer: unknown): readonly UnresolvedChange[] {
  if (isRefusal(answer)) return [];
  const { own, audit, changes } = CALLS[request.name] as Declaration;
  const entry = audit?.(request.args, answer) ?? null;
  return [
    ...(own === undefined ? [] : ownChanges(own, request, answer)),
    ...(entry === null ? [] : auditedChanges(entry, request)),
    ...(changes === undefined ? [] : serverChanges(changes(answer))),
  ];
}

/** Returns a change of the caller's own things. The call or the answer names unknown callers. */
function ownChanges(kind: OwnKind, { args, actor }: CallRequest, answer: unknown): readonly UnresolvedChange[] {
  if (actor?.kind !== 'user') {
    const named = args as { readonly email?: string };
    const signedIn = answer as { readonly user?: { readonly email: string } } | null;
    const email = named.email ?? signedIn?.user?.email;
    return signedIn === null
      ? []
      : [{ kind, audience: 'person', of: email === undefined ? null : canonicalEmail(email) }];
  }
  const mine: Change = { kind, audience: 'person', of: actor.name };
  const seenByManagers = { devices: KINDS_OF.device, session: KINDS_OF.member, sessions: [], read: [] }[kind];
  return [mine, ...withSubject(seenByManagers, { ofSession: actor.session })];
}

/**
 * Changes without a workspace: a person's own, or an operator's, perhaps of all workspaces. Calls by API key have no
 * audit entry, except `auditsKeys`.
 */
function auditedChanges({ action, workspace }: Audited, { name, actor }: CallRequest): readonly UnresolvedChange[] {
  if (workspace === null && actor?.kind === 'user') return [];
  const [noun = ''] = action.split('.');
  const isLogged = workspace !== null && actor !== undefined && (actor.kind !== 'key' || 'auditsKeys' in CALLS[name]);
  return [
    ...withSubject(KINDS_OF[action] ?? KINDS_OF[noun], workspace),
    ...(isLogged ? withSubject(AUDIT, workspace) : []),
  ];
}

/** Returns changes that the audit log may repeat. */
function serverChanges({ noun, workspaces }: { readonly noun: string; readonly workspaces: readonly number[] }) {
  return workspaces.flatMap((id) => [...withSubject(KINDS_OF[noun], { id }), ...withSubject(AUDIT, { id })]);
}

function withSubject(kinds: Kinds = [], of: Subject | Reference): readonly UnresolvedChange[] {
  return kinds.map((kind) => ({ ...kind, of }));
}

/** Returns a name equal for equal changes. */
export function nameOf({ kind, audience, of }: Change): string {
  return `${kind} ${audience} ${typeof of === 'object' ? `#${of?.id}` : of}`;
}
