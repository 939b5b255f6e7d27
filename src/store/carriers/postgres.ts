import pLimit, { type LimitFunction } from 'p-limit';
import { CALLS } from '../calls.ts';
import type { PostgresOptions, PostgresStore } from '../postgres/engine.ts';
import { inGroups } from '../postgres/in-groups.ts';
import type { ServingStore } from '../serving-store.ts';
import { type DatabaseNews, DatabaseWatch } from './database-watch.ts';
import { Listeners } from './listeners.ts';
import { isFullFor, isLongRead } from './long-reads.ts';
import { type CallRequest, clientOver, type Reply } from './reply.ts';

export interface PostgresServingOptions extends PostgresOptions {
  /** The name of this machine among the others. */
  readonly node: string;
  /** Told when the database cannot be used, and when it can again. */
  readonly onDatabase?: (news: DatabaseNews) => void;
  /** How many calls may wait for the database; any further one is refused with `StoreUnavailable`. */
  readonly maxWaiting?: number;
}

const MAX_WAITING = 10_000;
/** Connections: one for changes, one for what is accepted, and the others are left to the queue. */
const MOST_CONNECTIONS = 16;
/** Groups of reads at a time, and how many are one: a transaction for each would take longer than most of them. */
const MOST_READS = 4;
const MOST_TOGETHER = 20;
const MOST_LONG_READS = 2;

/** Becomes a node of the store that the database holds. Rejects with an `OperatorProblem` where that cannot be. */
export async function openPostgresStore(options: PostgresServingOptions): Promise<ServingStore> {
  const { onDatabase = () => {}, maxWaiting = MAX_WAITING, ...settings } = options;
  // The driver takes some MB: it stays out where nobody uses PostgreSQL.
  const { openPostgres } = await import('../postgres/engine.ts');
  const store = await openPostgres({ most: MOST_CONNECTIONS, ...settings });
  const watch = new DatabaseWatch(onDatabase);
  const listeners = new Listeners();
  const line = new PostgresLine({ store, listeners, watch, maxWaiting });
  return {
    ...clientOver(
      (call) => line.ask(call),
      () => line.close(),
    ),
    onTouched: store.onTouched,
    onEnds: store.onEnds,
    onDone: (listener) => listeners.onDone(listener),
    isAlive: async () => line.isOpen,
    fault: async () => watch.fault,
    others: store,
  };
}

interface Parts {
  readonly store: PostgresStore;
  readonly listeners: Listeners;
  readonly watch: DatabaseWatch;
  readonly maxWaiting: number;
}

/** The calls on their way to the database and back. Reads get a share of its connections, the long ones a small one. */
class PostgresLine {
  readonly #parts: Parts;
  readonly #read: (call: CallRequest) => Promise<Reply>;
  readonly #longReads: LimitFunction = pLimit(MOST_LONG_READS);
  readonly #waitingLong = new Set<CallRequest>();
  readonly #open = new Set<Promise<Reply>>();
  #closed: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#read = inGroups(MOST_TOGETHER, (calls) => this.#carryOut(calls), MOST_READS);
  }

  get isOpen(): boolean {
    return this.#closed === null;
  }

  ask(call: CallRequest): Promise<Reply> {
    if (!this.isOpen) return Promise.resolve({ kind: 'unavailable', reason: 'closed' });
    if (this.#isFullFor(call)) return Promise.resolve({ kind: 'unavailable', reason: 'overloaded' });
    const reply = this.#inTurn(call).finally(() => this.#open.delete(reply));
    this.#open.add(reply);
    return reply;
  }

  /** Once everything asked before has its answer. */
  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#open).then(() => this.#parts.store.close());
    return this.#closed;
  }

  #isFullFor(call: CallRequest): boolean {
    if (this.#open.size >= this.#parts.maxWaiting) return true;
    return isLongRead(call) && isFullFor(call, [...this.#waitingLong]);
  }

  #inTurn(call: CallRequest): Promise<Reply> {
    if (isLongRead(call)) {
      this.#waitingLong.add(call);
      return this.#longReads(() => {
        this.#waitingLong.delete(call);
        return this.#alone(call);
      });
    }
    return CALLS[call.name].reads ? this.#read(call) : this.#alone(call);
  }

  async #alone(call: CallRequest): Promise<Reply> {
    const [reply = NO_REPLY] = await this.#carryOut([call]);
    return reply;
  }

  async #carryOut(calls: readonly CallRequest[]): Promise<readonly Reply[]> {
    const { store, listeners, watch } = this.#parts;
    const given = await store.run(calls);
    const replies = calls.map((call, place) => watch.seen(call, given[place] ?? NO_REPLY));
    listeners.tellDone(calls, replies);
    return replies;
  }
}

const NO_REPLY: Reply = { kind: 'bug', message: 'the database gave no reply' };
