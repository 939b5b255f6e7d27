import type { Refusal } from './refusal.ts';

/**
 * Topics of notifications to listeners of the server. `alerts`: a channel may insist now. `heartbeats`: added or
 * changed. `keys`: rights changed. `on_call`: a rota or its times. `queue`: pushes may be due. `receipts`: a device's first report. `cleanup`: rows to
 * remove or an import to continue, perhaps. `routes`: perhaps paused or resumed. `scheduled`: an event waits.
 * `sessions`: perhaps signed out or in other workspaces. `webhooks`: perhaps a message.
 */
export type Topic =
  | 'alerts'
  | 'heartbeats'
  | 'keys'
  | 'on_call'
  | 'queue'
  | 'receipts'
  | 'cleanup'
  | 'routes'
  | 'scheduled'
  | 'sessions'
  | 'webhooks';

/** The person's own things shown by an open app. */
export type OwnKind = 'devices' | 'read' | 'session' | 'sessions';

/** A change's audit entry: names and numbers, no secrets or event texts. */
export interface Change {
  /** A command of the command line: `key.revoke`. */
  readonly action: string;
  /** A slug, an internal id, or a key of the workspace; null: no single workspace. */
  readonly workspace: string | { readonly id: number } | { readonly ofKey: string } | null;
  readonly object: string;
}

/** Describes a finished call. null: nothing to log (yet). */
type Describe<Args, Answer> = (args: Args, done: Exclude<Answer, Refusal>) => Change | null;

export interface Metadata<Args, Answer> {
  /** Never writes, so answered even with a full disk. */
  readonly reads?: true;
  /** May take seconds: answered beside the store thread, always or with these arguments. */
  readonly offThread?: true | ((args: Args) => boolean);
  /** Only finishes accepted work, so allowed while new work is refused (disk full or damaged). */
  readonly isFollowUp?: true;
  /**
   * Sent to an idle store thread before the rest of the turn. At 100 events/s, events reach devices an eighth sooner.
   */
  readonly isSentAtOnce?: true;
  /** A part of long work, which waits: one per group, none while the log is too long. */
  readonly isStep?: true;
  /** The call that continues the work, or null. The client makes it before it returns the last part's answer. */
  readonly rest?: (
    args: Args,
    done: Exclude<Answer, Refusal>,
  ) => { readonly name: string; readonly args: unknown } | null;
  /** Always, or depending on the answer. */
  readonly invalidates?: readonly Topic[] | ((answer: Answer) => readonly Topic[]);
  /**
   * Can revoke rights to a push. Answered only once no node sends anything revoked, even earlier: repeated calls may
   * have had no answer.
   */
  readonly canRevoke?: true;
  /** Adds to the lists, or shows them, in an order others follow. */
  readonly events?: 'adds' | 'lists';
  /** The person's own things that it changes. */
  readonly own?: OwnKind;
  /** The server's own change: an audit noun, with internal workspace ids. */
  readonly changes?: (answer: Answer) => { readonly noun: string; readonly workspaces: readonly number[] };
  /** Only the server calls this, never the command line tool. */
  readonly internal?: true;
  /** Returns the audit entry; null: none. */
  readonly audit?: Describe<Args, Answer> | null;
  /** Audits keys too: they rarely call. */
  readonly auditsKeys?: true;
}

/** Changes by operators or dashboards must declare their audit entry. */
type Declared<Args, Answer> = Metadata<Args, Answer> &
  ({ readonly reads: true } | { readonly internal: true } | { readonly audit: Describe<Args, Answer> | null });

interface CallDeclaration<Args, Answer> extends Metadata<Args, Answer> {
  /** Exists only for the compiler. */
  readonly types?: readonly [Args, Answer];
}

/** Declares a call. Handlers are in handlers/ or in each engine's folder. */
export function call<Args, Answer>(declared: Declared<Args, Answer>): CallDeclaration<Args, Answer> {
  return declared;
}

export function change(action: string, workspace: Change['workspace'], object: string): Change {
  return { action, workspace, object };
}
