import type { Refusal } from './refusal.ts';

/**
 * What a listener of the server can be notified of: `alerts`: a channel may insist now; `heartbeats`: one was added or
 * changed; `keys`: what a key may do; `queue`: there may be something to send; `cleanup`: there may be something to
 * remove, or an import to go on with; `routes`: an operator may have paused one, or ended its pause; `scheduled`: an event
 * waits for its time; `sessions`: a user may have been signed out, or belong to other workspaces; `webhooks`: there may
 * be a message for one.
 */
export type Topic =
  | 'alerts'
  | 'heartbeats'
  | 'keys'
  | 'queue'
  | 'cleanup'
  | 'routes'
  | 'scheduled'
  | 'sessions'
  | 'webhooks';

/** What of a person's own an open app shows. */
export type OwnKind = 'devices' | 'read' | 'session' | 'sessions';

/** What the audit log says of a change: names and numbers only, no secrets and nothing of an event's text. */
export interface Change {
  /** A command of the command line: `key.revoke`. */
  readonly action: string;
  /** A slug, an internal id, or the key whose workspace it is; null: it concerns no single workspace. */
  readonly workspace: string | { readonly id: number } | { readonly ofKey: string } | null;
  readonly object: string;
}

/** Of a call that was carried out. null: there is nothing to log (yet). */
type Describe<Args, Answer> = (args: Args, done: Exclude<Answer, Refusal>) => Change | null;

/** What a call does beyond its answer. */
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
  /** What of a person's own it changes, so that their open apps hear of it. */
  readonly own?: OwnKind;
  /** What the server itself has changed by it, as a noun of the audit log, and in which workspaces, by internal id. */
  readonly changes?: (answer: Answer) => { readonly noun: string; readonly workspaces: readonly number[] };
  /** Only the server itself asks this, never the command line tool. */
  readonly internal?: true;
  /** What the audit log says of it; null: nothing. */
  readonly audit?: Describe<Args, Answer> | null;
  /** The audit log says so of keys, too: their calls are seldom. */
  readonly auditsKeys?: true;
}

/** A change by an operator or a dashboard must declare its audit entry. */
type Declared<Args, Answer> = Metadata<Args, Answer> &
  ({ readonly reads: true } | { readonly internal: true } | { readonly audit: Describe<Args, Answer> | null });

/** A call of the store: the types of its arguments and its answer, and its metadata. */
export interface CallDeclaration<Args, Answer> extends Metadata<Args, Answer> {
  /** For the compiler alone: there is no such value. */
  readonly types?: readonly [Args, Answer];
}

/** Declares a call. Its comment says what it does; its handler is in handlers/, or in the folder of each engine. */
export function call<Args, Answer>(declared: Declared<Args, Answer>): CallDeclaration<Args, Answer> {
  return declared;
}

export function change(action: string, workspace: Change['workspace'], object: string): Change {
  return { action, workspace, object };
}
