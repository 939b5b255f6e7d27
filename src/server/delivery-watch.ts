import type { After, Clock } from '../process/clock.ts';
import type { Route, Sent } from '../push.ts';
import type { LiveRoute, StoreClient } from '../store/calls.ts';

const LOOK_EVERY_MS = 10_000;

interface DeliveryWatchDeps {
  readonly store: Pick<StoreClient, 'queueAge'>;
  readonly clock: Clock;
  readonly after: After;
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
}

/**
 * Measures how long each route stands still: always due, open, and no outcome in between. The age of work says nothing,
 * as all of it is old after an outage.
 */
export class DeliveryWatch {
  readonly #deps: DeliveryWatchDeps;
  /** Steady time since when pushes are due or the route moved. */
  readonly #sinceMs = new Map<Route, number>();
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(deps: DeliveryWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Notes a returned batch or part. */
  sent(route: Route, answers: readonly Sent[]): void {
    const isMoving = answers.some(({ outcome }) => outcome.kind !== 'recalled' && outcome.kind !== 'held');
    if (isMoving && this.#sinceMs.has(route)) this.#sinceMs.set(route, this.#deps.clock.steadyMs());
  }

  /** Returns each route's standstill in ms; 0 if moving, paused or idle. */
  stillMs(): ReadonlyMap<Route, number> {
    const { clock, routes } = this.#deps;
    const nowMs = clock.steadyMs();
    return new Map(
      [...routes()].map(([route, { pause }]) => [
        route,
        pause === null ? nowMs - (this.#sinceMs.get(route) ?? nowMs) : 0,
      ]),
    );
  }

  async #look(): Promise<void> {
    const { clock, after, routes } = this.#deps;
    const due = await this.#due();
    for (const [route, { pause }] of routes()) {
      if (pause !== null || !due.has(route)) this.#sinceMs.delete(route);
      else if (!this.#sinceMs.has(route)) this.#sinceMs.set(route, clock.steadyMs());
    }
    if (!this.#isStopped) this.#cancel = after(LOOK_EVERY_MS, () => void this.#look());
  }

  /** Knows nothing without the store, which is the trouble to report then. */
  async #due(): Promise<ReadonlySet<Route>> {
    const ages = await this.#deps.store.queueAge({}).catch(() => []);
    return new Set(ages.map(({ route }) => route));
  }
}
