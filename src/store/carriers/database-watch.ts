import { CALLS } from '../calls.ts';
import { isLongRead } from './long-reads.ts';
import type { CallRequest, Reply } from './reply.ts';

export type DatabaseNews = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'back' };

/** Sees by the replies to calls whether the database can be used, and tells once when that changes. */
export class DatabaseWatch {
  readonly #tell: (news: DatabaseNews) => void;
  #fault: string | null = null;

  constructor(tell: (news: DatabaseNews) => void) {
    this.#tell = tell;
  }

  /** Why it cannot be used, in words; null: it can, as far as is known. */
  get fault(): string | null {
    return this.#fault;
  }

  /**
   * The same reply; one outage has many faces, such as a connection that ends and others that cannot be made, and all
   * get its first reason. A database that only reads answers some calls: it is back when it has carried out a change.
   */
  seen(call: CallRequest, reply: Reply): Reply {
    if (reply.kind === 'unavailable' && !isLongRead(call)) return { ...reply, reason: this.#lost(reply.reason) };
    if (reply.kind === 'answer' && CALLS[call.name].reads !== true) this.#back();
    return reply;
  }

  #lost(reason: string): string {
    if (this.#fault !== null) return this.#fault;
    this.#fault = reason;
    this.#tell({ kind: 'lost', reason });
    return reason;
  }

  #back(): void {
    if (this.#fault === null) return;
    this.#fault = null;
    this.#tell({ kind: 'back' });
  }
}
