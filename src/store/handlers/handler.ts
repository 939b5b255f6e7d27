import type { Moment } from '../../process/clock.ts';
import type { AcceptArgs, Actor, AnswerOf, ArgsOf, CallName, Stats } from '../calls.ts';
import type { KeptFields } from '../event-columns.ts';
import type { Awaitable } from '../sql.ts';
import type { ImportDeps } from './devices/import-steps.ts';
import type { EventLists } from './events/event-rows.ts';

/**
 * What a file of handlers gives: one asynchronous function a call, over SQL that every engine understands. `now` is the
 * engine's time (over PostgreSQL the database's), so that no caller's clock counts. `actor`: the caller; undefined: the
 * server itself. A handler awaits nothing but the database, and is alone with its connection until it has answered. It
 * neither begins nor ends a transaction: the engine does, and undoes a call that throws.
 */
export type Handlers<N extends CallName> = {
  readonly [K in N]: (args: ArgsOf<K>, now: Moment, actor?: Actor) => Promise<AnswerOf<K>>;
};

/** Those of one file, which names each once. */
export type SomeHandlers = Partial<Handlers<CallName>>;

/** All calls of an engine: those that it carries out in its own way need not await anything. */
export type CallHandlers = {
  readonly [N in CallName]: (args: ArgsOf<N>, now: Moment, actor?: Actor) => Awaitable<AnswerOf<N>>;
};

export interface OwnEvent extends Omit<KeptFields, 'sendAtMs'> {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly kind: 'reminder' | 'notice';
  /** The alert that it belongs to, and what its pushes carry of it (`StoredAlertPush`, as JSON). */
  readonly alertId: number;
  readonly alert: string;
  /** A person whose devices (up to 20 of a channel) do not get it. */
  readonly notFor?: number;
  /** A person whose devices alone get it. */
  readonly onlyFor?: number;
}

/** What handlers leave to the engine. */
export interface EngineDeps {
  readonly imports: ImportDeps;
  readonly lists: EventLists;
  /** How many pushes wait on each route, but for dead letters; of all workspaces, or of one. */
  waitingByRoute(of: { readonly workspaceId: number | null }): Awaitable<Stats['waiting']>;
  acceptEvent(args: AcceptArgs, now: Moment): Awaitable<AnswerOf<'acceptEvent'>>;
  /** Puts an event of the server's own into the queue, which no list shows and no usage counts. */
  postOwn(event: OwnEvent, now: Moment): Awaitable<void>;
  /** Whether the engine can say what time it is there. */
  knowsTimezone(name: string): Awaitable<boolean>;
  /** Removes some of what deletions leave behind, the newest first: what is small is gone at once. */
  cleanUp(): Awaitable<unknown>;
}
