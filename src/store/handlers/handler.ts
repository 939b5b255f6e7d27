import type { Moment } from '../../process/clock.ts';
import type { AcceptArgs, Actor, AnswerOf, ArgsOf, CallName, Stats } from '../calls.ts';
import type { KeptFields } from '../event-columns.ts';
import type { Awaitable } from '../sql.ts';
import type { ImportDeps } from './devices/import-steps.ts';
import type { EventLists } from './events/event-rows.ts';

/**
 * The handlers of a file: one asynchronous function a call, over SQL that every engine understands. `now` is the
 * engine's time (over PostgreSQL the database's), so no caller's clock counts. `actor`: the caller; undefined: the
 * server itself.
 *
 * A handler awaits nothing but the database, and is alone with its connection until it has answered. It neither begins
 * nor ends a transaction: the engine does, and rolls back a call that throws.
 */
export type Handlers<N extends CallName> = {
  readonly [K in N]: (args: ArgsOf<K>, now: Moment, actor?: Actor) => Promise<AnswerOf<K>>;
};

/** The handlers of one file, which names each once. */
export type SomeHandlers = Partial<Handlers<CallName>>;

/** All calls of an engine. Calls that it carries out in its own way need not await anything. */
export type CallHandlers = {
  readonly [N in CallName]: (args: ArgsOf<N>, now: Moment, actor?: Actor) => Awaitable<AnswerOf<N>>;
};

export interface OwnEvent extends Omit<KeptFields, 'sendAtMs'> {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly kind: 'reminder' | 'notice';
  /** The alert that the event belongs to, and the alert part of its pushes (`StoredAlertPush`, as JSON); null: none. */
  readonly alertId: number | null;
  readonly alert: string | null;
  /** JSON of a `StoredQuiet`; null: it rings. */
  readonly quiet: string | null;
  /** A person whose devices (up to 20 of a channel) do not get it. */
  readonly notFor?: number;
  /** A person whose devices alone get it. */
  readonly onlyFor?: number;
}

/** The parts that handlers leave to the engine. */
export interface EngineDeps {
  readonly imports: ImportDeps;
  readonly lists: EventLists;
  /** Counts the pushes that wait on each route, without dead letters; of all workspaces, or of one. */
  waitingByRoute(of: { readonly workspaceId: number | null }): Awaitable<Stats['waiting']>;
  acceptEvent(args: AcceptArgs, now: Moment): Awaitable<AnswerOf<'acceptEvent'>>;
  /** Queues a test push; with `notShowing` the quiet notice that the device of this name is not showing. */
  testDevice(
    args: ArgsOf<'testDevice'> & { readonly notShowing?: string },
    now: Moment,
    actor?: Actor,
  ): Awaitable<AnswerOf<'testDevice'>>;
  /** Puts an event of the server itself into the queue. No list shows it and no usage counts it. */
  postOwn(event: OwnEvent, now: Moment): Awaitable<void>;
  /**
   * Removes some rows that deletions left behind, the newest first, so a small deletion is done at once. The fewer, the
   * more rows the call has changed already.
   */
  cleanUp(rows?: number): Awaitable<unknown>;
}
