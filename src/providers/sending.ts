import { type Clock, isLeaseOver } from '../process/clock.ts';
import type { Batch, BatchEvent, Lane, Outcome, Sent, Target } from '../push.ts';
import { type Fault, outcomeOfFault } from './outcomes.ts';
import type { OnEarly, OnError } from './provider.ts';

/** Tells, right before writing, whether a push was revoked or expired, or another process may send it. */
export type IsRevoked = () => boolean;

/** The parts shared by an event's devices. `fitted`: the payload was shortened. */
export interface Prepared<R> {
  readonly request: R;
  readonly fitted: boolean;
}

/** A provider's way to send. Exceptions concern that event or push alone. */
interface Method<R> {
  prepare(event: BatchEvent): Prepared<R>;
  send(request: R, target: Target, isRevoked: IsRevoked): Outcome | Promise<Outcome>;
  /**
   * Returns a device's host, whose faults concern that host alone, and whether it is proven. Unproven hosts get few
   * concurrent pushes, so dead ones delay nobody.
   */
  readonly originOf?: (target: Target) => Origin;
}

export interface Origin {
  readonly name: string;
  readonly isProven: boolean;
}

/** A client's requests in flight, and a push's wait for a turn. */
interface Sending {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly giveUpAfterMs: number;
  /** Slots besides `slots`, for unproven origins named by devices. */
  readonly unproven?: { readonly slots: Slots; readonly giveUpAfterMs: number };
}

/** How long first answers wait for others. */
const EARLY_MS = 50;

/** The origin of APNs and FCM. */
const THE_PROVIDER: Origin = { name: '', isProven: true };

/**
 * Sends to each target once. A push revoked while waiting for a slot, or after `giveUpAfterMs`, is not sent: a batch
 * ends within twice a send's deadline. If route or origin is down, the rest of the batch gets that outcome unsent: a
 * broken provider must not be asked hundreds of times.
 */
export function sendToEach<R>(
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
  /** Outcomes for the rest, by origin. */
  const down = new Map<string, Outcome>();
  let isErrorReported = false;

  batch.targets.forEach((target, index) => {
    const origin = originOf(target);
    const inTurn = (freeUnproven?: Free) =>
      slots.take(batch.lane, (free) => void send(target, index, origin, free, freeUnproven));
    if (origin.isProven || !unproven) inTurn();
    else unproven.slots.take(batch.lane, inTurn);
  });
  return answers.all.promise;

  async function send(target: Target, index: number, known: Origin, free: Free, freeUnproven?: Free): Promise<void> {
    const expiresAtMs = startedMs + (batch.events[target.event]?.ttlMs ?? 0);
    const isRevoked = () =>
      Atomics.load(batch.revoked, index) !== 0 ||
      clock.steadyMs() >= expiresAtMs ||
      (batch.leaseEnd !== undefined && isLeaseOver(batch.leaseEnd));
    // May have been proven during the wait.
    const origin = known.isProven ? known : originOf(target);
    let outcome = isRevoked() ? outcomeOfFault('recalled') : (down.get(nameOf(origin)) ?? tooLate(origin));
    let fitted = false;
    try {
      if (outcome === null) {
        const made = preparedFor(target);
        outcome = await method.send(made.request, target, isRevoked);
        fitted = made.fitted;
      }
    } catch (error) {
      if (!isErrorReported) onError(error);
      isErrorReported = true;
      outcome = outcomeOfFault('internal_error');
    }
    if (isOfOrigin(outcome, target, origin)) down.set(nameOf(origin), outcome);
    answers.add({ index, deviceId: target.deviceId, outcome, fitted });
    free();
    freeUnproven?.();
  }

  function tooLate({ isProven }: Origin): Outcome | null {
    const patienceMs = isProven ? giveUpAfterMs : (unproven?.giveUpAfterMs ?? giveUpAfterMs);
    return clock.steadyMs() > startedMs + patienceMs ? outcomeOfFault('not_sent') : null;
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

/**
 * Tells whether an outcome says something about an origin's pushes. A never accepted device's refusal may concern that
 * device alone.
 */
function isOfOrigin(outcome: Outcome, { wasAccepted }: Target, { name, isProven }: Origin): boolean {
  if (outcome.kind === 'unavailable') return true;
  if (outcome.kind === 'unauthorized') return name === '' || wasAccepted;
  return outcome.kind === 'deferred' && outcome.pace === 'fault' && !isProven;
}

/** Returns an origin's name, unique for unproven devices: their faults concern no others. */
function nameOf({ name, isProven }: Origin): string {
  return isProven ? name : `unproven ${name}`;
}

/** Collects a batch's answers, reporting early ones if others are slow. */
class Answers {
  readonly all = Promise.withResolvers<readonly Sent[]>();
  readonly #sent: Sent[] = [];
  readonly #expected: number;
  readonly #onEarly: OnEarly;
  #notified = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(expected: number, onEarly: OnEarly) {
    this.#expected = expected;
    this.#onEarly = onEarly;
  }

  add(sent: Sent): void {
    this.#sent.push(sent);
    if (this.#sent.length === this.#expected) {
      if (this.#timer) clearTimeout(this.#timer);
      this.all.resolve(this.#sent);
    } else this.#timer ??= setTimeout(() => this.#notify(), EARLY_MS);
  }

  #notify(): void {
    this.#timer = null;
    this.#onEarly(this.#sent.slice(this.#notified));
    this.#notified = this.#sent.length;
  }
}

/** Settles like `promise`, or with `late()` after `deadlineMs`, ignoring later results. */
export function withDeadline<T, L = T>(promise: Promise<T>, deadlineMs: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), deadlineMs);
    // Not `finally`, which makes three more promises a push.
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

/** Returns one fault for all targets, unsent or perhaps sent. */
export function allAs(batch: Batch, fault: Fault): readonly Sent[] {
  const outcome = outcomeOfFault(fault);
  return batch.targets.map(({ deviceId }, index) => ({ index, deviceId, outcome, fitted: false }));
}

type Free = () => void;
type Task = (free: Free) => void;

/** Bounds a provider's requests in flight. Slots are given in order, lane by lane. */
export class Slots {
  readonly #count: number;
  #free: number;
  #isStarting = false;
  readonly #waiting: Record<Lane, Queue<Task>> = {
    urgent: new Queue(),
    standard: new Queue(),
    quarantine: new Queue(),
  };

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Tasks that have a slot or wait for one, as a share of all slots. */
  get fill(): number {
    const waiting = Object.values(this.#waiting).reduce((sum, { size }) => sum + size, 0);
    return (this.#count - this.#free + waiting) / this.#count;
  }

  /** Calls `task`, which must not throw, in its turn. Its slot is taken until it calls `free`. */
  take(lane: Lane, task: Task): void {
    this.#waiting[lane].push(task);
    this.#start();
  }

  readonly #release = (): void => {
    this.#free += 1;
    this.#start();
  };

  #start(): void {
    // Tasks that end at once would pile up on the stack.
    if (this.#isStarting) return;
    this.#isStarting = true;
    const { urgent, standard, quarantine } = this.#waiting;
    while (this.#free > 0) {
      const next = urgent.shift() ?? standard.shift() ?? quarantine.shift();
      if (!next) break;
      this.#free -= 1;
      next(this.#release);
    }
    this.#isStarting = false;
  }
}

/** A FIFO without moving items at each `shift`. */
class Queue<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
