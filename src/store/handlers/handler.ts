import type { Moment } from '../../process/clock.ts';
import type { AcceptArgs, Actor, AnswerOf, ArgsOf, CallName, Stats } from '../calls.ts';
import type { KeptFields } from '../event-columns.ts';
import type { Awaitable } from '../sql.ts';
import type { ImportDeps } from './devices/import-steps.ts';
import type { EventLists } from './events/event-rows.ts';
import type { OwnDevice } from './events/left-out.ts';

/**
 * A file's handlers: one asynchronous function per call, over portable SQL. `now` is the engine's time (over PostgreSQL
 * the database's): no caller's clock counts. `actor`: the caller; undefined: the server.
 *
 * A handler awaits nothing but the database, and is alone with its connection until it answered. The engine begins and
 * ends transactions, and rolls back throwing calls.
 */
export type Handlers<N extends CallName> = {
  readonly [K in N]: (args: ArgsOf<K>, now: Moment, actor?: Actor) => Promise<AnswerOf<K>>;
};

/** A file's handlers, each once. */
export type SomeHandlers = Partial<Handlers<CallName>>;

/** An engine's calls. Those with engine-specific handlers need not await. */
export type CallHandlers = {
  readonly [N in CallName]: (args: ArgsOf<N>, now: Moment, actor?: Actor) => Awaitable<AnswerOf<N>>;
};

export interface OwnEvent extends Omit<KeptFields, 'sendAtMs'> {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly workspaceId: number;
  /** null: with `onlyOn` alone. */
  readonly channelId: number | null;
  readonly kind: 'reminder' | 'notice';
  /** The event's alert, and its pushes' alert part (`StoredAlertPush`, JSON); null: none. */
  readonly alertId: number | null;
  readonly alert: string | null;
  /** JSON of a `StoredQuiet`; null: it rings. */
  readonly quiet: string | null;
  /** A person whose devices (up to 20 per channel) do not get it. Without effect beside `onlyOn`. */
  readonly notFor?: number;
  /** Only these devices get it. */
  readonly onlyOn?: readonly OwnDevice[];
  /** The only person for whom it rings. */
  readonly onCall?: number;
}

/** The parts that handlers leave to the engine. */
export interface EngineDeps {
  readonly imports: ImportDeps;
  /** The id of this node; 0: no node, or no other. */
  readonly nodeOf: () => number;
  readonly lists: EventLists;
  /** Counts waiting pushes per route, without dead letters; of all workspaces, or one. */
  waitingByRoute(of: { readonly workspaceId: number | null }): Awaitable<Stats['waiting']>;
  acceptEvent(args: AcceptArgs, now: Moment): Awaitable<AnswerOf<'acceptEvent'>>;
  /** Queues a test push; with `notShowing` a quiet notice about that device. */
  testDevice(
    args: ArgsOf<'testDevice'> & { readonly notShowing?: string },
    now: Moment,
    actor?: Actor,
  ): Awaitable<AnswerOf<'testDevice'>>;
  /** Queues a server's own event, unlisted and uncounted. */
  postOwn(event: OwnEvent, now: Moment): Awaitable<void>;
  /**
   * Removes some rows that deletions left, newest first: small deletions are done at once. Removes fewer, the more the
   * call has changed already.
   */
  cleanUp(rows?: number): Awaitable<unknown>;
}
