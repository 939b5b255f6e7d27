import type { Lease } from '../process/lease.ts';
import type { Topic } from './call.ts';
import type { AnswerOf, ArgsOf, CallName, Revocation, StoreClient } from './calls.ts';
import type { OnDone } from './reply.ts';

/** The store of a process that serves: its calls, and what they change, known before their answers. */
export interface ServingStore extends StoreClient, StoreChanges {
  /** Whether this process can answer, however long that takes. No database elsewhere is asked for it. */
  isAlive(): Promise<boolean>;
  /** Returns why the store cannot store events, as far as known without asking a remote database; null: it can. */
  fault(): Promise<Fault | null>;
  /**
   * Looks at every page of the database, beside the work. What is found counts as damage from then on. Empty: nothing.
   * PostgreSQL looks after its own.
   */
  check(): Promise<readonly string[]>;
  /** The other servers that share it; null: it is this one's alone. */
  readonly others: Others | null;
}

/** `reason`: in words. `isDamage`: the database's own pages are at fault. `isLasting`: until it is restored. */
export interface Fault {
  readonly reason: string;
  readonly isDamage: boolean;
  readonly isLasting: boolean;
}

/** The kind of a notice that an event was cancelled, with its public id. */
export const CANCELLED = 'cancelled';

/** The notices between servers that share a store: hints, any of which may be lost. */
export interface Others {
  /** The time for which this server may send its claims, before another server takes them over. */
  readonly lease: Lease;
  /** From now on the others and their operators know this of it. `address`: where it listens. */
  introduce(about: () => { readonly address: string | null; readonly health: object }): void;
  /** To all others. `kind`: a word; `payload`: 4 KB of text at most. No links, as the database writes it to a file. */
  notify(kind: string, payload: string): void;
  /** `listener` runs with the others' notices of this kind. */
  onNotice(kind: string, listener: (payload: string) => void): void;
  /** `listener` runs when a notice may have been lost. */
  onMissed(listener: () => void): void;
  /** `listener` runs at once, and whenever it changes, with the number of servers that live, this one among them. */
  onLiving(listener: (count: number) => void): void;
}

export interface StoreChanges {
  /** `listener` runs after a call touched the topic, before that call is answered. */
  onTouched(topic: Topic, listener: () => void): void;
  /** `listener` runs with the revocations that calls made, before those calls are answered. */
  onRevocations(listener: (revocations: readonly Revocation[]) => void): void;
  /** `listener` runs for each call that was carried out, before it is answered. Returns how to end that. */
  onDone(listener: OnDone): () => void;
}

type AfterCalls = { readonly [N in CallName]?: (args: ArgsOf<N>, answer: AnswerOf<N>) => void };

/** Runs the server's work after finished calls of any transport, before they are answered. */
export function afterCalls(store: Pick<StoreChanges, 'onDone'>, after: AfterCalls): void {
  store.onDone(({ name, args }, answer) => after[name]?.(args as never, answer as never));
}
