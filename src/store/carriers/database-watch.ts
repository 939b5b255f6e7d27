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

  /** A database that only reads answers some calls: it is back when it has carried out a change. */
  note(call: CallRequest, reply: Reply): void {
    if (reply.kind === 'unavailable' && !isLongRead(call)) this.#lost(reply.reason);
    else if (reply.kind === 'answer' && CALLS[call.name].reads !== true) this.#back();
  }

  #lost(reason: string): void {
    const isNew = this.#fault === null;
    this.#fault = reason;
    if (isNew) this.#tell({ kind: 'lost', reason });
  }

  #back(): void {
    if (this.#fault === null) return;
    this.#fault = null;
    this.#tell({ kind: 'back' });
  }
}
