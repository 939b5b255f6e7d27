import type { Lane, Route } from '../push.ts';
import { StoreUnavailable } from '../store/calls.ts';
import { retryCarefully } from './careful-retry.ts';
import type { Pause } from './circuit-breaker.ts';
import type { Unproven } from './quarantine.ts';
import type { RelayDeps } from './relay-deps.ts';
import { RouteRelay } from './route-relay.ts';

const SWEEP_EVERY_MS = 60_000;

export interface RelayRoute {
  readonly route: Route;
  /** Sends a minute at most, or null. */
  readonly perMinute: number | null;
}

/**
 * Sends what is in the queue: one loop a route, so that a paused or slow provider delays no other. It has no state that
 * must survive: the queue in the store says what is left to do.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #routes: readonly RouteRelay[];
  #cancelSweep: () => void = () => {};
  #isStopped = false;

  constructor(deps: RelayDeps, routes: readonly RelayRoute[]) {
    this.#deps = deps;
    this.#routes = routes.map(({ route, perMinute }) => new RouteRelay(route, deps, perMinute));
  }

  start(): void {
    for (const route of this.#routes) route.start();
    void this.#sweep();
  }

  /** There may be new work: in this lane of these routes, or anywhere. */
  nudge(routes?: readonly Route[], lane?: Lane): void {
    for (const servedRoute of this.#routes) if (!routes || routes.includes(servedRoute.route)) servedRoute.nudge(lane);
  }

  /** So many processes send what is in the queue, this one among them: each has an even part of what a minute may see. */
  share(processes: number): void {
    for (const route of this.#routes) route.share(processes);
  }

  /** Why each route pauses, or does not know whether the devices that it refuses are dead; null: neither. */
  pauses(): readonly { readonly route: Route; readonly pause: Pause | null; readonly unproven: Unproven | null }[] {
    return this.#routes.map(({ route, pause, unproven }) => ({ route, pause, unproven }));
  }

  /** An operator lets nothing out on the route, since then (wall clock); null: does no longer. */
  hold(route: Route, sinceWallMs: number | null): void {
    this.#find(route)?.hold(sinceWallMs);
  }

  /** Resumes an operator's pause from before this start (wall clock). */
  holdOn(route: Route, sinceWallMs: number): void {
    this.#find(route)?.holdOn(sinceWallMs);
  }

  /** Probes every paused route at once, unless an operator paused it. */
  hurry(): void {
    for (const route of this.#routes) route.hurry();
  }

  /** Tries at once what may have been refused for our signature: the clock was set. */
  tryRefused(): void {
    for (const route of this.#routes) route.tryRefused();
  }

  open(route: Route): void {
    this.#find(route)?.open();
  }

  /** The route's provider cannot be used: its pushes wait until `open`. */
  switchOff(route: Route, reason: string): void {
    this.#find(route)?.switchOff(reason);
  }

  /** Sends what is due for at most `drainMs`, then waits for what is out at most `settleMs` more. */
  async stop(drainMs: number, settleMs: number): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep();
    await this.#atMost(drainMs, Promise.all(this.#routes.map((route) => route.drain())));
    await this.#atMost(settleMs, Promise.all(this.#routes.map((route) => route.stop())));
  }

  async #sweep(): Promise<void> {
    const { store, links, after, log } = this.#deps;
    try {
      for (let more = true; more; ) {
        const swept = await retryCarefully(log, (isCareful) => store.expireOverdue({ isCareful }));
        for (const publicId of swept.finished) links.drop(publicId);
        more = swept.more;
      }
    } catch (error) {
      this.#report(error);
    }
    // Once stopped, a timer would keep the process from ending.
    if (!this.#isStopped) this.#cancelSweep = after(SWEEP_EVERY_MS, () => void this.#sweep());
  }

  /** A store that cannot write says so itself; anything else is a bug, and no reason to end. */
  #report(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) this.#deps.log.error({ err: error }, 'an unexpected error of the queue');
  }

  async #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#deps.after(ms, resolve);
      work.then(
        () => {
          cancel();
          resolve();
        },
        (error) => {
          cancel();
          reject(error);
        },
      );
    });
  }

  #find(route: Route): RouteRelay | undefined {
    return this.#routes.find((candidate) => candidate.route === route);
  }
}
