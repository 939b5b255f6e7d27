import type { Clock } from '../process/clock.ts';
import { isLeaseOver } from '../process/lease.ts';
import type { Batch, BatchEvent, Outcome, Sent, Target } from '../push.ts';
import type { OnEarly, OnError } from './client.ts';
import type { Fault } from './outcomes/faults.ts';
import { outcomeOfFault } from './outcomes.ts';
import type { Slots } from './slots.ts';

/**
 * Whether a push was revoked, its event has expired, or another process may send it by now. To be asked right before
 * its request is written.
 */
export type IsRevoked = () => boolean;

/** The parts that are the same for all devices of an event. `fitted`: its payload had to be shortened. */
export interface Prepared<R> {
  readonly request: R;
  readonly fitted: boolean;
}

/** How one provider sends. What throws is a fault of that event, or that push, alone. */
export interface Method<R> {
  prepare(event: BatchEvent): Prepared<R>;
  send(request: R, target: Target, isRevoked: IsRevoked): Outcome | Promise<Outcome>;
  /**
   * Returns the host that a device names, and whether it is proven. A fault there concerns that host alone. Only a few
   * pushes to unproven hosts are sent at a time, so that no push waits behind a host that never answers.
   */
  readonly originOf?: (target: Target) => Origin;
}

export interface Origin {
  readonly name: string;
  readonly isProven: boolean;
}

/** The requests of a client that may be in flight, and the time that a push may wait for its turn. */
export interface Sending {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly giveUpAfterMs: number;
  /** Beside `slots`, where devices name whom to send to: for origins that are not proven. */
  readonly unproven?: { readonly slots: Slots; readonly giveUpAfterMs: number };
}

/** So long the first answers of a batch wait for the others. */
const EARLY_MS = 50;

/** All that have no other: of APNs and FCM. */
const THE_PROVIDER: Origin = { name: '', isProven: true };

/**
 * Sends to each target of a batch once. A push that was revoked while waiting for a slot, or has waited for
 * `giveUpAfterMs`, is not sent at all, so that a batch ends within twice the deadline of a send. When the route, or an
 * origin, turns out to be down, the rest of the batch is answered with that, unsent: a broken provider must not be
 * asked hundreds of times over.
 */
export async function sendToEach<R>(
  batch: Batch,
  { slots, clock, giveUpAfterMs, unproven }: Sending,
  method: Method<R>,
  onEarly: OnEarly = () => {},
  onError: OnError = () => {},
): Promise<readonly Sent[]> {
  const startedMs = clock.steadyMs();
  const prepared = new Map<number, Prepared<R>>();
  const answers = new Answers(batch.targets.length, onEarly);
  const { originOf = () => THE_PROVIDER } = method;
  /** The outcome of the rest of the batch, by origin. */
  const down = new Map<string, Outcome>();
  let isErrorReported = false;

  await Promise.all(
    batch.targets.map((target, index) => {
      const origin = originOf(target);
      const inTurn = () => slots.run(batch.lane, () => answer(target, index, origin));
      return origin.isProven || !unproven ? inTurn() : unproven.slots.run(batch.lane, inTurn);
    }),
  );
  return answers.all;

  async function answer(target: Target, index: number, known: Origin): Promise<void> {
    const expiresAtMs = startedMs + (batch.events[target.event]?.ttlMs ?? 0);
    const isRevoked = () =>
      Atomics.load(batch.revoked, index) !== 0 ||
      clock.steadyMs() >= expiresAtMs ||
      (batch.leaseEnd !== undefined && isLeaseOver(batch.leaseEnd));
    // Another one may have been accepted while this one waited.
    const origin = known.isProven ? known : originOf(target);
    const { outcome, fitted } = await attempt(target, origin, isRevoked);
    if (isOfOrigin(outcome, target, origin)) down.set(nameOf(origin), outcome);
    answers.add({ index, deviceId: target.deviceId, outcome, fitted });
  }

  async function attempt(
    target: Target,
    origin: Origin,
    isRevoked: IsRevoked,
  ): Promise<Pick<Sent, 'outcome' | 'fitted'>> {
    if (isRevoked()) return unsent(outcomeOfFault('recalled'));
    const known = down.get(nameOf(origin));
    if (known) return unsent(known);
    const patienceMs = origin.isProven ? giveUpAfterMs : (unproven?.giveUpAfterMs ?? giveUpAfterMs);
    if (clock.steadyMs() > startedMs + patienceMs) return unsent(outcomeOfFault('not_sent'));
    try {
      const { request, fitted } = preparedFor(target);
      return { outcome: await method.send(request, target, isRevoked), fitted };
    } catch (error) {
      if (!isErrorReported) onError(error);
      isErrorReported = true;
      return unsent(outcomeOfFault('internal_error'));
    }
  }

  function preparedFor({ event: place }: Target): Prepared<R> {
    const known = prepared.get(place);
    if (known) return known;
    const event = batch.events[place];
    if (!event) throw new Error('a target of no event');
    const made = method.prepare(event);
    prepared.set(place, made);
    return made;
  }
}

/** Whether it says something about all that go there. A refusal of one that was never accepted may be about it alone. */
function isOfOrigin(outcome: Outcome, { wasAccepted }: Target, { name, isProven }: Origin): boolean {
  if (outcome.kind === 'unavailable') return true;
  if (outcome.kind === 'unauthorized') return name === '' || wasAccepted;
  return outcome.kind === 'deferred' && outcome.pace === 'fault' && !isProven;
}

/** Returns a name for the origin. Faults of unproven devices say nothing about others of their origin. */
function nameOf({ name, isProven }: Origin): string {
  return isProven ? name : `unproven ${name}`;
}

function unsent(outcome: Outcome): Pick<Sent, 'outcome' | 'fitted'> {
  return { outcome, fitted: false };
}

/** The answers of a batch. Those that are there are reported early where the others take their time. */
class Answers {
  readonly all: Sent[] = [];
  readonly #expected: number;
  readonly #onEarly: OnEarly;
  #notified = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(expected: number, onEarly: OnEarly) {
    this.#expected = expected;
    this.#onEarly = onEarly;
  }

  add(sent: Sent): void {
    this.all.push(sent);
    if (this.all.length === this.#expected) {
      if (this.#timer) clearTimeout(this.#timer);
    } else this.#timer ??= setTimeout(() => this.#notify(), EARLY_MS);
  }

  #notify(): void {
    this.#timer = null;
    this.#onEarly(this.all.slice(this.#notified));
    this.#notified = this.all.length;
  }
}

/** Settles with what `promise` does, or with `late()` after `deadlineMs`. What comes later is ignored. */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), deadlineMs);
    // Not by `finally`, which makes three more promises of each push.
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** One fault for every target of a batch that was not sent, or may not have been. */
export function allAs(batch: Batch, fault: Fault): readonly Sent[] {
  const outcome = outcomeOfFault(fault);
  return batch.targets.map(({ deviceId }, index) => ({ index, deviceId, outcome, fitted: false }));
}
