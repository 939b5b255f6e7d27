import { canonicalEmail } from '../../contract/names.ts';
import type { Change as Audited, OwnKind } from '../../store/call.ts';
import { CALLS, isRefusal } from '../../store/calls.ts';
import type { CallRequest } from '../../store/carriers/reply.ts';

/** What may have changed, by what shows it: see schemas/change.json. */
export const KINDS = [
  'everything',
  'inbox',
  'read',
  'channels',
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
export type Kind = (typeof KINDS)[number];

/** That something changed, and who may know it. */
export interface Change<Of = Known> {
  readonly kind: Kind;
  /** Members of a workspace, its owners and admins, or one person. */
  readonly audience: 'members' | 'managers' | 'person';
  readonly of: Of;
}
/** A workspace by its slug or id, or a person by their email; null: it may be any. */
export type Known = string | { readonly id: number } | null;
/** The workspace of a key; those that the person of a session belongs to. */
export type Sought = { readonly ofKey: string } | { readonly ofSession: string };

type Shown = readonly Pick<Change, 'kind' | 'audience'>[];

/** By the nouns of the audit log. */
const SHOWN: Readonly<Record<string, Shown>> = {
  workspace: [{ kind: 'usage', audience: 'managers' }],
  plan: [{ kind: 'usage', audience: 'managers' }],
  channel: [{ kind: 'channels', audience: 'members' }],
  key: [{ kind: 'keys', audience: 'managers' }],
  member: [{ kind: 'members', audience: 'managers' }],
  device: [{ kind: 'devices', audience: 'managers' }],
  event: [
    { kind: 'inbox', audience: 'members' },
    { kind: 'events', audience: 'managers' },
  ],
  route: [{ kind: 'routes', audience: 'managers' }],
};
const AUDITED: Shown = [{ kind: 'audit', audience: 'managers' }];

/** The part of a call's declaration that is read here, of any call. */
interface Declaration {
  readonly own?: OwnKind;
  readonly audit?: ((args: unknown, done: unknown) => Audited | null) | null;
}

/** What a call that was carried out has changed: by its declaration, and its entry in the audit log. */
export function changesOf(request: CallRequest, answer: unknown): readonly Change<Known | Sought>[] {
  if (isRefusal(answer)) return [];
  const { own, audit } = CALLS[request.name] as Declaration;
  const entry = audit?.(request.args, answer) ?? null;
  return [
    ...(own === undefined ? [] : ownChanges(own, request, answer)),
    ...(entry === null ? [] : listed(entry, request)),
  ];
}

/** Somebody's own things are those of the one who asks; else the call or its answer names whose they are. */
function ownChanges(kind: OwnKind, { args, actor }: CallRequest, answer: unknown): readonly Change<Known | Sought>[] {
  if (actor?.kind !== 'user') {
    const named = args as { readonly email?: string };
    const signedIn = answer as { readonly user?: { readonly email: string } } | null;
    const email = named.email ?? signedIn?.user?.email;
    return signedIn === null
      ? []
      : [{ kind, audience: 'person', of: email === undefined ? null : canonicalEmail(email) }];
  }
  const mine: Change = { kind, audience: 'person', of: actor.name };
  return kind === 'devices' ? [mine, ...at(SHOWN.device, { ofSession: actor.session })] : [mine];
}

/**
 * What somebody changes that is of no workspace is their own. An operator's change may concern all. What integrators do
 * is not in the log.
 */
function listed({ action, workspace }: Audited, { actor }: CallRequest): readonly Change<Known | Sought>[] {
  if (workspace === null && actor?.kind === 'user') return [];
  const [noun = ''] = action.split('.');
  const isLogged = workspace !== null && actor !== undefined && actor.kind !== 'key';
  return [...at(SHOWN[noun], workspace), ...(isLogged ? at(AUDITED, workspace) : [])];
}

function at(shown: Shown = [], of: Known | Sought): readonly Change<Known | Sought>[] {
  return shown.map((each) => ({ ...each, of }));
}
