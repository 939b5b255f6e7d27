import type { CallName } from '../calls.ts';
import { type CallRequest, isLongRead, isRead, type Reply } from '../reply.ts';

export type DatabaseChange = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'back' };

/** Calls by which events are stored, or prove that they can be. */
const STORING: ReadonlySet<CallName> = new Set(['acceptEvent', 'proveWritable']);
/** A call that failed and is not made again counts for so long. */
const FORGOTTEN_MS = 10_000;

/**
 * Sees by the replies to calls whether the database can be used, and reports once when that changes. What has failed
 * has to work again: while a table is locked, some calls fail, and others do not. Of the way to the database any change
 * is proof.
 */
export class DatabaseWatch {
  readonly #notify: (change: DatabaseChange) => void;
  #fault: string | null = null;
  /** When each call failed last that has not succeeded since; `way`: that to the database. */
  readonly #failing = new Map<CallName | 'way', number>();

  constructor(notify: (change: DatabaseChange) => void) {
    this.#notify = notify;
  }

  /** Why no event can be stored, in words; null: it can, as far as is known. */
  get fault(): string | null {
    const stops = (what: CallName | 'way') => what === 'way' || STORING.has(what);
    return [...this.#failing.keys()].some(stops) ? this.#fault : null;
  }

  /**
   * The same reply; one outage has many faces, such as a connection that ends and others that cannot be made, and all
   * get its first reason. A database that only reads answers some calls: it is back when it has carried out a change.
   */
  seen(call: CallRequest, reply: Reply): Reply {
    if (reply.kind === 'unavailable' && reply.damage !== undefined) return reply;
    if (reply.kind === 'unavailable' && !isLongRead(call)) {
      return { ...reply, reason: this.#failed(reply.mayBeDone ? 'way' : call.name, reply.reason) };
    }
    if (reply.kind === 'answer') this.#succeeded(call);
    return reply;
  }

  #failed(what: CallName | 'way', reason: string): string {
    this.#failing.set(what, performance.now());
    return this.#lost(reason);
  }

  #succeeded(call: CallRequest): void {
    if (this.#fault === null) return;
    this.#failing.delete(call.name);
    if (isRead(call)) return;
    this.#failing.delete('way');
    const latestMs = performance.now() - FORGOTTEN_MS;
    for (const [other, atMs] of this.#failing) if (atMs < latestMs) this.#failing.delete(other);
    if (this.#failing.size === 0) this.#back();
  }

  #lost(reason: string): string {
    if (this.#fault !== null) return this.#fault;
    this.#fault = reason;
    this.#notify({ kind: 'lost', reason });
    return reason;
  }

  #back(): void {
    if (this.#fault === null) return;
    this.#fault = null;
    this.#notify({ kind: 'back' });
  }
}
