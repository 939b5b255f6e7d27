import type { After, Clock } from '../process/clock.ts';
import type { Route, Sent } from '../push.ts';
import type { LiveRoute, StoreClient } from '../store/calls.ts';

const LOOK_EVERY_MS = 10_000;

export interface DeliveryWatchDeps {
  readonly store: Pick<StoreClient, 'queueAge'>;
  readonly clock: Clock;
  readonly after: After;
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
}

/**
 * Sees for how long deliveries have stood still on each route: something is due at every look, the route is open, and
 * nothing was accepted, refused or deferred in between. How old the work is says nothing: after an outage all of it is
 * old, and goes out.
 */
export class DeliveryWatch {
  readonly #deps: DeliveryWatchDeps;
  /** The time since which each route has due pushes, or of its last movement. Steady time. */
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

  /** A batch of the route came back, or a part of it. */
  sent(route: Route, answers: readonly Sent[]): void {
    const isMoving = answers.some(({ outcome }) => outcome.kind !== 'recalled' && outcome.kind !== 'held');
    if (isMoving && this.#sinceMs.has(route)) this.#sinceMs.set(route, this.#deps.clock.steadyMs());
  }

  /** Returns for how long each route has stood still, in ms; 0 if it moves, is paused, or has nothing to do. */
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

  /** While the store cannot be asked nothing is known: that is the trouble to report. */
  async #due(): Promise<ReadonlySet<Route>> {
    const ages = await this.#deps.store.queueAge({}).catch(() => []);
    return new Set(ages.map(({ route }) => route));
  }
}
