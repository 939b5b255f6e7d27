import { CALLS, type CallName } from '../calls.ts';
import type { Fault } from '../client.ts';
import { type CallRequest, type Damage, isLongRead, isRead, isWithoutPromise, type Reply } from '../reply.ts';

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

/** The work of every failed write. Only `proveWritable` certainly writes, and each look at readiness makes it. */
const WRITING = 'writing';

/** `call`: the call that met it first. */
export type DamageReport =
  | ({ readonly kind: 'damaged'; readonly call: string } & Pick<Fault, 'reason' | 'isLasting'>)
  | { readonly kind: 'readable' };

export interface DamageWatchOptions {
  /** Called once when damage is met, and when the data is usable again. */
  readonly onDamage?: (report: DamageReport) => void;
  /** Called per call that met damage. */
  readonly onDamagedCall?: () => void;
}

/**
 * Detects by the replies to calls whether the database is damaged. Lasting damage stays known until this process ends:
 * new work is rejected, as a restore would lose it, and accepted work is finished as far as it can be read. Other
 * damage is known while the work that met it, which is retried, goes on meeting it. A failed write is known until one
 * certainly succeeds: retried work may find nothing to write.
 */
export class DamageWatch {
  readonly #options: DamageWatchOptions;
  #lasting: string | null = null;
  /** Reasons by work. */
  readonly #passing = new Map<string, string>();

  constructor(options: DamageWatchOptions) {
    this.#options = options;
  }

  /** Null: none known. */
  get fault(): Fault | null {
    if (this.#lasting !== null) return { reason: this.#lasting, isDamage: true, isLasting: true };
    const [reason] = this.#passing.values();
    return reason === undefined ? null : { reason, isDamage: true, isLasting: false };
  }

  /** Returns the reply to a call that would accept what cannot be kept; null: the call may run. */
  refusal(call: CallRequest): Reply | null {
    if (this.#lasting === null || isWithoutPromise(call)) return null;
    return { kind: 'unavailable', reason: this.#lasting };
  }

  seen(call: CallRequest, reply: Reply): void {
    if (reply.kind === 'unavailable' && reply.damage !== undefined) this.#report(call, reply.reason, reply.damage);
    else if (this.#passing.size > 0 && this.#isCleared(call, reply) && this.fault === null)
      this.#options.onDamage?.({ kind: 'readable' });
  }

  #isCleared(call: CallRequest, reply: Reply): boolean {
    const hasWritten = call.name === 'proveWritable' && reply.kind === 'answer' && this.#passing.delete(WRITING);
    return this.#passing.delete(workOf(call)) || hasWritten;
  }

  /** The damage that a check of every page has found. */
  found(damage: readonly string[]): void {
    if (damage.length > 0) this.#notify('check', damageText(damage), true);
  }

  #report(call: CallRequest, reason: string, damage: Damage): void {
    this.#options.onDamagedCall?.();
    // Only certainly repeated work can show that damage has passed.
    const isLasting = damage === 'lasting';
    if (isLasting || CALLS[call.name].isFollowUp === true) {
      this.#notify(call.name, reason, isLasting, damage === 'unwritten' ? WRITING : workOf(call));
    }
  }

  #notify(call: string, reason: string, isLasting: boolean, work = ''): void {
    const before = this.fault;
    if (isLasting) this.#lasting ??= reason;
    else this.#passing.set(work, reason);
    const isNew = before === null || (isLasting && !before.isLasting);
    if (isNew) this.#options.onDamage?.({ kind: 'damaged', call, reason, isLasting });
  }
}

/** Describes a full check's first damage: the rest tells no more. */
export function damageText([first = '', ...otherTexts]: readonly string[]): string {
  return otherTexts.length === 0 ? first : `${first} (and ${otherTexts.length} more)`;
}

/** Names a call and its part of the queue. */
function workOf({ name, args }: CallRequest): string {
  const { route, lane, claimId } = args as Readonly<Record<'route' | 'lane' | 'claimId', unknown>>;
  return JSON.stringify([name, route, lane, claimId]);
}
