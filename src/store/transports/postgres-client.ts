import type { Groups } from '../../values/turns.ts';
import type { Reader } from '../calls.ts';
import { clientOver, type Fault, type ServingStore } from '../client.ts';
import type { PostgresOptions, PostgresStore } from '../postgres/engine.ts';
import { type CallRequest, isLongRead, type Reply, type Transport } from '../reply.ts';
import { DamageWatch, type DamageWatchOptions, type DatabaseChange, DatabaseWatch } from './database-watch.ts';
import { Listeners } from './listeners.ts';
import { CLOSED, groupsOf, LongReads, OVERLOADED, slowlyRefused } from './long-reads.ts';

export interface PostgresServingOptions extends PostgresOptions, DamageWatchOptions {
  readonly node: string;
  /** Called when the database cannot be used, and when it can again. */
  readonly onDatabase?: (change: DatabaseChange) => void;
  /** The most calls that may wait for the database; further ones are refused with `StoreUnavailable`. */
  readonly maxWaiting?: number;
}

const MAX_WAITING = 10_000;
/**
 * Connections beside those of the queue (6), of the node's own questions (2) and the one that listens. They are at most
 * twenty a machine, even if each pool has one more for a moment, to end abandoned work.
 */
const MOST_CONNECTIONS = 8;
const MOST_LONG_READS = 2;

/** Becomes a node of the database's store. Rejects with `OperatorProblem` if it cannot. */
export async function openPostgresStore(options: PostgresServingOptions): Promise<ServingStore> {
  const { onDatabase = () => {}, maxWaiting = MAX_WAITING, ...settings } = options;
  // The driver takes some MB, so it is loaded only for PostgreSQL.
  const { openPostgres } = await import('../postgres/engine.ts');
  const store = await openPostgres({ most: MOST_CONNECTIONS, ...settings });
  const watch = new DatabaseWatch(onDatabase);
  const damage = new DamageWatch(options);
  const listeners = new Listeners();
  let dismissed: Fault | null = null;
  store.onDismissed((oldest) => {
    dismissed = faultOf(`a newer pushctl upgrades the database to schema ${oldest}, which this version does not know`);
  });
  const line = new PostgresLine({ store, listeners, watch, damage, maxWaiting });
  return {
    ...clientOver(line),
    onTouched: store.onTouched,
    onRevocations: store.onRevocations,
    onDone: (listener) => listeners.onDone(listener),
    isAlive: async () => line.isOpen,
    fault: async () => dismissed ?? faultOf(watch.fault) ?? damage.fault,
    check: async () => [],
    others: store,
  };
}

function faultOf(reason: string | null): Fault | null {
  return reason === null ? null : { reason, isDamage: false, isLasting: false };
}

interface Parts {
  readonly store: PostgresStore;
  readonly listeners: Listeners;
  readonly watch: DatabaseWatch;
  readonly damage: DamageWatch;
  readonly maxWaiting: number;
}

/** Calls on their way to the database and back. Long reads get a small share of its connections. */
class PostgresLine implements Transport {
  readonly #parts: Parts;
  readonly #longReads = new LongReads<LongRead>();
  #longReading = 0;
  /** Unanswered calls. */
  #open = 0;
  #onIdle = () => {};
  #closed: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#closed === null;
  }

  ask(call: CallRequest, reader?: Reader): Promise<Reply> {
    if (!this.isOpen || reader?.signal.aborted) return Promise.resolve(CLOSED);
    if (this.#open >= this.#parts.maxWaiting) return Promise.resolve(OVERLOADED);
    const isInTurn = reader !== undefined || isLongRead(call);
    return isInTurn ? slowlyRefused(this.#counted(this.#longRead(call, reader))) : this.#counted(this.#carryOut(call));
  }

  /** Closes once all earlier calls have their answers. */
  close(): Promise<void> {
    this.#closed ??= this.#idle().then(() => this.#parts.store.close());
    return this.#closed;
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#open === 0) resolve();
    });
  }

  async #counted(asking: Promise<Reply>): Promise<Reply> {
    this.#open += 1;
    try {
      return await asking;
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#onIdle();
    }
  }

  #longRead(call: CallRequest, reader: Reader | undefined): Promise<Reply> {
    return new Promise((resolve) => {
      this.#longReads.add({ call, groups: groupsOf(call, reader), reader, resolve });
      this.#nextLongRead();
    });
  }

  #nextLongRead(): void {
    const next = this.#longReading < MOST_LONG_READS ? this.#longReads.next() : undefined;
    if (next === undefined) return;
    this.#longReading += 1;
    const reply = this.#carryOut(next.call).finally(() => {
      this.#longReading -= 1;
      this.#nextLongRead();
    });
    next.resolve(reply);
  }

  async #carryOut(call: CallRequest): Promise<Reply> {
    const { store, listeners, watch, damage } = this.#parts;
    const reply = watch.seen(call, await store.ask(call));
    damage.seen(call, reply);
    listeners.notifyDone([call], [reply]);
    return reply;
  }
}

interface LongRead {
  readonly call: CallRequest;
  readonly groups: Groups;
  readonly reader: Reader | undefined;
  readonly resolve: (reply: Promise<Reply> | Reply) => void;
}
