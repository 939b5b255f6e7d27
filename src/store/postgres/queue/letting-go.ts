import type { Route } from '../../../push.ts';
import { ConnectionLost } from '../errors.ts';
import type { QueueDeps } from './deps.ts';
import type { LeasedFanOut, LeasedRetry } from './leased-work.ts';

interface Work {
  readonly fanOuts: readonly LeasedFanOut[];
  readonly retries: readonly LeasedRetry[];
}

/** An event's work that this node owns. */
export interface OwnWork {
  /** Neither claimed nor being recorded: the memory has forgotten it, and the caller ends or frees it. */
  readonly idle: Work;
  readonly inFlight: Work;
  /** More is idle. */
  readonly isMore: boolean;
}

/** Lets go of an event's idle work, up to `most` retries. */
export type LetGo = (eventId: number, most: number) => OwnWork;

const NOTHING: Work = { fanOuts: [], retries: [] };

/** Lets go of nothing, in a process that owns no work. */
export const NOTHING_OWNED: LetGo = () => ({ idle: NOTHING, inFlight: NOTHING, isMore: false });

/** Removes idle work from the memory while it is ended. If that fails, the work comes back. */
export class LettingGo {
  readonly #deps: Pick<QueueDeps, 'leased' | 'claims' | 'turns'>;
  readonly #onUncertain: () => void;
  /** Work that the running transaction of control calls ends. */
  readonly #ofTransaction = new Map<number, OwnWork>();

  /** `onUncertain`: called if work may still be owned. It must be found again later. */
  constructor(deps: Pick<QueueDeps, 'leased' | 'claims' | 'turns'>, onUncertain: () => void) {
    this.#deps = deps;
    this.#onUncertain = onUncertain;
  }

  /** Lets go of an event's idle work during `end`. `route` undefined: all routes. */
  async during<T>(
    { eventId, most, route }: { readonly eventId: number; readonly most?: number; readonly route?: Route },
    end: (own: OwnWork) => Promise<T>,
  ): Promise<T> {
    const own = this.#remove(eventId, most, route);
    try {
      const ended = await end(own);
      this.#forget(own.idle);
      return ended;
    } catch (error) {
      this.#takeBack(own.idle, error);
      throw error;
    }
  }

  /** Lets go until `transactionEnded`. A transaction that is repeated after a conflict gets the same work again. */
  inTransaction: LetGo = (eventId, most) => {
    const known = this.#ofTransaction.get(eventId);
    const { idle, inFlight, isMore } = this.#remove(eventId, most - (known?.idle.retries.length ?? 0));
    const own = {
      idle: {
        fanOuts: [...(known?.idle.fanOuts ?? []), ...idle.fanOuts],
        retries: [...(known?.idle.retries ?? []), ...idle.retries],
      },
      inFlight,
      isMore,
    };
    this.#ofTransaction.set(eventId, own);
    return own;
  };

  /** `error` undefined: committed. */
  transactionEnded(error?: unknown): void {
    for (const { idle } of this.#ofTransaction.values()) {
      if (error === undefined) this.#forget(idle);
      else this.#takeBack(idle, error);
    }
    this.#ofTransaction.clear();
  }

  /** Whether a transaction ends idle work of the event. */
  isEnding(eventId: number): boolean {
    return this.#ofTransaction.has(eventId);
  }

  /** Forgets all: it is another node's. */
  clear(): void {
    this.#ofTransaction.clear();
  }

  #remove(eventId: number, most = Number.POSITIVE_INFINITY, route?: Route): OwnWork {
    const { leased, claims } = this.#deps;
    const isOfRoute = (work: { readonly route: Route }) => route === undefined || work.route === route;
    const owned = leased.ofEvent(eventId);
    const isOut = (fanOut: LeasedFanOut) => fanOut.isBeingRecorded || claims.pages.isOut(fanOut);
    const fanOuts = Map.groupBy(owned.fanOuts.filter(isOfRoute), isOut);
    const isClaimed = ({ deviceId }: LeasedRetry) => claims.isClaimedRetry(eventId, deviceId);
    const retries = Map.groupBy(owned.retries.filter(isOfRoute), isClaimed);
    const waiting = retries.get(false) ?? [];
    const idle = { fanOuts: fanOuts.get(false) ?? [], retries: waiting.slice(0, Math.max(0, most)) };
    for (const fanOut of idle.fanOuts) leased.removeFanOut(fanOut);
    for (const { deviceId } of idle.retries) leased.removeRetry(eventId, deviceId);
    const inFlight = { fanOuts: fanOuts.get(true) ?? [], retries: retries.get(true) ?? [] };
    return { idle, inFlight, isMore: waiting.length > idle.retries.length };
  }

  #forget({ fanOuts }: Work): void {
    for (const fanOut of fanOuts) this.#deps.claims.pages.forget(fanOut);
  }

  /** Takes work back, whose end failed. Reading its targets tells if it is no longer this node's. */
  #takeBack(work: Work, error: unknown): void {
    const { leased, turns } = this.#deps;
    if (work.fanOuts.length + work.retries.length === 0) return;
    if (error instanceof ConnectionLost) {
      this.#forget(work);
      this.#onUncertain();
      return;
    }
    for (const fanOut of work.fanOuts) {
      leased.addFanOut(fanOut);
      turns.of(fanOut, fanOut.workspaceId).begun.add(fanOut.fanOutId);
      turns.wake(fanOut, fanOut.workspaceId);
    }
    for (const retry of work.retries) {
      leased.addRetry(retry);
      turns.wake(retry, retry.workspaceId);
    }
  }
}
