import type { Refusal } from './refusal.ts';

/**
 * Topics of notifications to listeners of the server. `alerts`: a channel may insist now. `heartbeats`: one was added
 * or changed. `keys`: the rights of a key changed. `queue`: there may be pushes to send. `receipts`: a device has reported
 * for the first time. `cleanup`: there may be rows to remove, or an import to continue. `routes`: an operator may have paused or resumed a route. `scheduled`: an event
 * waits for its time. `sessions`: a user may have been signed out, or changed workspaces. `webhooks`: there may be a
 * message for one.
 */
export type Topic =
  | 'alerts'
  | 'heartbeats'
  | 'keys'
  | 'queue'
  | 'receipts'
  | 'cleanup'
  | 'routes'
  | 'scheduled'
  | 'sessions'
  | 'webhooks';

/** The person's own things that an open app shows. */
export type OwnKind = 'devices' | 'read' | 'session' | 'sessions';

/** The audit log's entry of a change: only names and numbers, no secrets and nothing of an event's text. */
export interface Change {
  /** A command of the command line: `key.revoke`. */
  readonly action: string;
  /** A slug, an internal id, or the key whose workspace it is; null: it concerns no single workspace. */
  readonly workspace: string | { readonly id: number } | { readonly ofKey: string } | null;
  readonly object: string;
}

/** Describes a finished call. null: there is nothing to log (yet). */
type Describe<Args, Answer> = (args: Args, done: Exclude<Answer, Refusal>) => Change | null;

/** The effects of a call beyond its answer. */
export interface Metadata<Args, Answer> {
  /** Never writes, so it is answered even while the disk is full. */
  readonly reads?: true;
  /** May take seconds over a large database: a running server answers it beside the store thread, always or with these arguments. */
  readonly offThread?: true | ((args: Args) => boolean);
  /** Only finishes accepted work, so it is allowed while new work is refused (disk full or damaged). */
  readonly isFollowUp?: true;
  /**
   * Sent to an idle store thread before the rest of the turn, such as the response to the sender. At 100 events a
   * second an event reaches its devices an eighth sooner.
   */
  readonly isSentAtOnce?: true;
  /** A part of something long, which waits for its turn: one goes with a group, and none while the log is too long. */
  readonly isStep?: true;
  /**
   * The call that does more of what this one has decided, or null. Its client makes that call before it returns the
   * answer: that of the last part, if the same call does all of them.
   */
  readonly rest?: (
    args: Args,
    done: Exclude<Answer, Refusal>,
  ) => { readonly name: string; readonly args: unknown } | null;
  /** Always, or by what it has answered. */
  readonly invalidates?: readonly Topic[] | ((answer: Answer) => readonly Topic[]);
  /**
   * Can revoke a right to a push. It is answered only once no node sends what was revoked, also by an earlier call: a
   * caller who repeats a call may have had no answer.
   */
  readonly canRevoke?: true;
  /** Whether it adds an event to the lists, or shows them: an order that others follow. */
  readonly events?: 'adds' | 'lists';
  /** The person's own things that it changes, for their open apps. */
  readonly own?: OwnKind;
  /** The server's own change, as a noun of the audit log, with the workspaces by internal id. */
  readonly changes?: (answer: Answer) => { readonly noun: string; readonly workspaces: readonly number[] };
  /** Only the server itself asks this, never the command line tool. */
  readonly internal?: true;
  /** Returns the entry of the audit log; null: none. */
  readonly audit?: Describe<Args, Answer> | null;
  /** The audit log says so of keys, too: their calls are seldom. */
  readonly auditsKeys?: true;
}

/** A change by an operator or a dashboard must declare its audit entry. */
type Declared<Args, Answer> = Metadata<Args, Answer> &
  ({ readonly reads: true } | { readonly internal: true } | { readonly audit: Describe<Args, Answer> | null });

/** A call of the store: the types of its arguments and its answer, and its metadata. */
export interface CallDeclaration<Args, Answer> extends Metadata<Args, Answer> {
  /** Only for the compiler: there is no such value. */
  readonly types?: readonly [Args, Answer];
}

/** Declares a call. Its comment says what it does; its handler is in handlers/, or in the folder of each engine. */
export function call<Args, Answer>(declared: Declared<Args, Answer>): CallDeclaration<Args, Answer> {
  return declared;
}

export function change(action: string, workspace: Change['workspace'], object: string): Change {
  return { action, workspace, object };
}
