import type { Groups } from '../../turns.ts';
import type { PostgresOptions, PostgresStore } from '../postgres/engine.ts';
import { inGroups } from '../postgres/in-groups.ts';
import { type CallRequest, clientOver, isLongRead, isRead, type Reply, type Transport } from '../reply.ts';
import type { Fault, ServingStore } from '../serving-store.ts';
import { DamageWatch, type DamageWatchOptions } from './damage-watch.ts';
import { type DatabaseChange, DatabaseWatch } from './database-watch.ts';
import { Listeners } from './listeners.ts';
import { groupsOf, LongReads, OVERLOADED, slowlyRefused } from './long-reads.ts';

export interface PostgresServingOptions extends PostgresOptions, DamageWatchOptions {
  /** The name of this machine among the others. */
  readonly node: string;
  /** Called when the database cannot be used, and when it can again. */
  readonly onDatabase?: (change: DatabaseChange) => void;
  /** How many calls may wait for the database; any further one is refused with `StoreUnavailable`. */
  readonly maxWaiting?: number;
}

const MAX_WAITING = 10_000;
/**
 * Connections beside those of the queue (6), of the node's own questions (2) and the one that listens: at most twenty a
 * machine, also where each pool has one more for a moment, to end what was given up.
 */
const MOST_CONNECTIONS = 8;
/** Groups of reads at a time, and how many are one: a transaction for each would take longer than most of them. */
const MOST_READS = 3;
const MOST_TOGETHER = 20;
const MOST_LONG_READS = 2;

/** Becomes a node of the store that the database holds. Rejects with an `OperatorProblem` where that cannot be. */
export async function openPostgresStore(options: PostgresServingOptions): Promise<ServingStore> {
  const { onDatabase = () => {}, maxWaiting = MAX_WAITING, ...settings } = options;
  // The driver takes some MB: it stays out where PostgreSQL is not used.
  const { openPostgres } = await import('../postgres/engine.ts');
  const store = await openPostgres({ most: MOST_CONNECTIONS, ...settings });
  const watch = new DatabaseWatch(onDatabase);
  const damage = new DamageWatch(options);
  const listeners = new Listeners();
  const line = new PostgresLine({ store, listeners, watch, damage, maxWaiting });
  return {
    ...clientOver(line),
    onTouched: store.onTouched,
    onRevocations: store.onRevocations,
    onDone: (listener) => listeners.onDone(listener),
    isAlive: async () => line.isOpen,
    fault: async () => lost(watch.fault) ?? damage.fault,
    check: async () => [],
    others: store,
  };
}

function lost(reason: string | null): Fault | null {
  return reason === null ? null : { reason, isDamage: false, isLasting: false };
}

interface Parts {
  readonly store: PostgresStore;
  readonly listeners: Listeners;
  readonly watch: DatabaseWatch;
  readonly damage: DamageWatch;
  readonly maxWaiting: number;
}

/** The calls on their way to the database and back. Reads get a share of its connections, the long ones a small one. */
class PostgresLine implements Transport {
  readonly #parts: Parts;
  readonly #read: (call: CallRequest) => Promise<Reply>;
  readonly #longReads = new LongReads<LongRead>();
  #longReading = 0;
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
    if (this.#open.size >= this.#parts.maxWaiting) return Promise.resolve(OVERLOADED);
    const reply = this.#inTurn(call).finally(() => this.#open.delete(reply));
    this.#open.add(reply);
    return isLongRead(call) ? slowlyRefused(reply) : reply;
  }

  /** Once everything asked before has its answer. */
  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#open).then(() => this.#parts.store.close());
    return this.#closed;
  }

  #inTurn(call: CallRequest): Promise<Reply> {
    if (isLongRead(call)) return this.#longRead(call);
    return isRead(call) ? this.#read(call) : this.#alone(call);
  }

  #longRead(call: CallRequest): Promise<Reply> {
    return new Promise((resolve) => {
      this.#longReads.add({ call, groups: groupsOf(call), resolve })?.resolve(OVERLOADED);
      this.#nextLongRead();
    });
  }

  #nextLongRead(): void {
    const next = this.#longReading < MOST_LONG_READS ? this.#longReads.next() : undefined;
    if (next === undefined) return;
    this.#longReading += 1;
    const reply = this.#alone(next.call).finally(() => {
      this.#longReading -= 1;
      this.#nextLongRead();
    });
    next.resolve(reply);
  }

  async #alone(call: CallRequest): Promise<Reply> {
    const [reply = NO_REPLY] = await this.#carryOut([call]);
    return reply;
  }

  async #carryOut(calls: readonly CallRequest[]): Promise<readonly Reply[]> {
    const { store, listeners, watch, damage } = this.#parts;
    const given = await store.run(calls);
    const replies = calls.map((call, place) => watch.seen(call, given[place] ?? NO_REPLY));
    for (const [place, call] of calls.entries()) damage.seen(call, replies[place] ?? NO_REPLY);
    listeners.notifyDone(calls, replies);
    return replies;
  }
}

interface LongRead {
  readonly call: CallRequest;
  readonly groups: Groups;
  readonly resolve: (reply: Promise<Reply> | Reply) => void;
}

const NO_REPLY: Reply = { kind: 'bug', message: 'the database gave no reply' };
