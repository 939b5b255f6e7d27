import type { CallName } from '../calls.ts';
import { type CallRequest, isLongRead, isRead, type Reply } from '../reply.ts';

export type DatabaseChange = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'back' };

/** Calls that store events or prove it possible. */
const STORING: ReadonlySet<CallName> = new Set(['acceptEvent', 'proveWritable']);
/** A failed call that is not made again counts for so long. */
const FORGOTTEN_MS = 10_000;

/**
 * Detects by the replies to calls whether the database can be used, and reports once when that changes. Failed work
 * must succeed again: while a table is locked, some calls fail and others do not. Any change proves that the way to the
 * database works.
 */
export class DatabaseWatch {
  readonly #notify: (change: DatabaseChange) => void;
  #fault: string | null = null;
  /** The last failure of each call not yet successful again; `way`: the connection. */
  readonly #failing = new Map<CallName | 'way', number>();

  constructor(notify: (change: DatabaseChange) => void) {
    this.#notify = notify;
  }

  /** Why no event can be stored; null: it can, as far as known. */
  get fault(): string | null {
    const stops = (what: CallName | 'way') => what === 'way' || STORING.has(what);
    return [...this.#failing.keys()].some(stops) ? this.#fault : null;
  }

  /**
   * Returns the reply with the outage's first reason, despite later ones. A read-only database answers some calls, so
   * only a change proves that it is back.
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
