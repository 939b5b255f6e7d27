/** How the audit log tells of each change: names and numbers only, no secrets and nothing of an event's text. */
import { canonicalEmail } from '../../contract/names.ts';
import type { ChangingCall } from '../call-metadata.ts';
import type { AnswerOf, ArgsOf, CallName, Refusal } from '../calls.ts';
import type { Db } from '../sqlite/transaction.ts';

export interface Change {
  /** A noun and a verb of the command line: `key.revoke`. */
  readonly action: string;
  /** A slug; null: it concerns no single workspace. */
  readonly workspace: string | null;
  readonly object: string;
}

/** null: there is nothing to tell (yet). */
type Describe<N extends CallName> = (args: ArgsOf<N>, done: Exclude<AnswerOf<N>, Refusal>) => Change | null;
type Words = { readonly [N in ChangingCall]: Describe<N> } & { readonly [N in CallName]?: Describe<N> };

/** Answers the words for a call and its answer, which was no refusal; null where the call changes nothing to be told. */
export function descriptions(db: Db): (name: CallName, args: unknown, done: unknown) => Change | null {
  const slugOfKey = db
    .prepare<[string], string>(
      'SELECT workspace.slug FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = ?',
    )
    .pluck();
  const words = wordsWith((keyId) => slugOfKey.get(keyId) ?? null);

  return (name, args, done) => {
    const describe = words[name] as ((args: unknown, done: unknown) => Change | null) | undefined;
    return describe?.(args, done) ?? null;
  };
}

function wordsWith(workspaceOfKey: (id: string) => string | null): Words {
  return {
    createWorkspace: ({ slug }) => change('workspace.create', slug, slug),
    renameWorkspace: ({ slug }, { name }) => change('workspace.rename', slug, `"${name}"`),
    setWorkspaceStatus: ({ slug, status }) =>
      change(status === 'active' ? 'workspace.activate' : 'workspace.suspend', slug, slug),
    setWorkspacePlan: ({ slug, plan }) => change('workspace.set-plan', slug, plan),
    deleteWorkspace: ({ slug }) => change('workspace.delete', slug, slug),
    setPlan: ({ name, monthlyEvents }) => change('plan.set', null, `${name}: ${monthlyEvents ?? 'unlimited'}`),

    createChannel: ({ workspace, slug }) => change('channel.create', workspace, slug),
    updateChannel: ({ workspace, slug: old }, { slug, name, status }) => {
      const moved = old === slug ? slug : `${old} to ${slug}`;
      return change('channel.update', workspace, `${moved}: ${status}, "${name}"`);
    },
    deleteChannel: ({ workspace, slug }) => change('channel.delete', workspace, slug),

    issueKey: ({ workspace }, { id, name }) => change('key.issue', workspace, `${id} "${name}"`),
    revokeKey: (_, { id, name }) => change('key.revoke', workspaceOfKey(id), `${id} "${name}"`),
    rotateKey: ({ id: old }, { key: { id, name }, revoked }) => {
      const instead = revoked === null ? '' : `, ${revoked} revoked`;
      return change('key.rotate', workspaceOfKey(id), `${old} to ${id} "${name}"${instead}`);
    },

    addMember: ({ workspace }, { email, role }) => change('member.add', workspace, `${email} as ${role}`),
    renameUser: (_, { email, name }) => change('member.rename', null, `${email}: "${name}"`),
    setMemberRole: ({ workspace }, { email, role }) => change('member.role', workspace, `${email} as ${role}`),
    removeMember: ({ workspace }, { email }) => change('member.remove', workspace, email),
    createPairingCode: (_, { email }) => change('member.pair', null, email),
    closeSessions: (_, { email, closed }) => change('member.sign-out', null, `${email}: ${sessions(closed)}`),
    setPassword: (_, { email }) => change('member.password', null, email),
    changePassword: (_, { email }) => change('member.password', null, email),

    pauseRoute: (_, { route }) => change('route.pause', null, route),
    resumeRoute: ({ route }) => change('route.resume', null, route),
    pruneDevices: ({ route, reason }, { pruned }) =>
      pruned === 0 ? null : change('device.prune', null, `${pruned} of ${route}: ${reason}`),
    addDevice: ({ workspace, email }, { device }) =>
      change('device.add', workspace, `${device.id} of ${canonicalEmail(email)}`),
    exportDevices: ({ workspace, email, after }) =>
      after !== undefined
        ? null
        : change('device.export', workspace, email === undefined ? 'of all members' : `of ${canonicalEmail(email)}`),
    subscribeDevice: ({ id, channels }, { workspace }) =>
      change('device.subscribe', workspace, `${id} to ${channels.join(', ')}`),
    unsubscribeDevice: ({ id, channels }, { workspace }) =>
      change('device.unsubscribe', workspace, `${id} from ${channels.join(', ')}`),
    moveDevice: (_, { device: { id, email }, from }) =>
      email === from ? null : change('device.move', null, `${id} from ${from} to ${email}`),
    removeDevice: (_, { id }) => change('device.remove', null, id),
    // A person's own, which the app may ask for a few times a minute, is no change of the workspace.
    testDevice: ({ id, userId }, { event }) =>
      userId !== undefined ? null : change('device.test', null, `${id} by ${event.public_id}`),
    resendEvent: (_, { event }) =>
      change('event.resend', event.workspace, `${event.public_id}: what failed or expired`),
    continueResend: () => null,
    repostEvent: ({ publicId }, { event }) =>
      change('event.resend', event.workspace, `${publicId} to all, as ${event.public_id}`),
    cancelEvent: (_, { event, isNew, waiting }) =>
      isNew ? change('event.cancel', event.workspace, `${event.public_id}: ${pushes(waiting)}`) : null,
    continueCancel: () => null,
    recordBackup: ({ file }) => change('backup.make', null, file),
    stageImport: () => null,
    commitImport: ({ workspace, email }, { devices }) =>
      change('device.import', workspace, `${devices} of ${canonicalEmail(email)}`),
    registerImported: () => null,
    dropImport: () => null,
  };
}

function change(action: string, workspace: string | null, object: string): Change {
  return { action, workspace, object };
}

function pushes(count: number): string {
  return `${count} ${count === 1 ? 'push' : 'pushes'}`;
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
