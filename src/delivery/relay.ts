import type { Lane, Route } from '../push.ts';
import { StoreUnavailable } from '../store/calls.ts';
import type { Pause } from './circuit-breaker.ts';
import type { RelayDeps } from './dispatch.ts';
import type { Unproven } from './quarantine.ts';
import { retryCarefully } from './retry.ts';
import { RouteRelay } from './route-relay.ts';

const SWEEP_EVERY_MS = 60_000;

interface RelayRoute {
  readonly route: Route;
  /** The limit of sends a minute, or null. */
  readonly perMinute: number | null;
}

/**
 * Sends what is in the queue, with one loop per route, so that a paused or slow provider delays no other. Keeps no
 * state that must survive: the store's queue does.
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

  /** Notes possible work in these routes' lane, or anywhere. */
  nudge(routes?: readonly Route[], lane?: Lane): void {
    for (const servedRoute of this.#routes) if (!routes || routes.includes(servedRoute.route)) servedRoute.nudge(lane);
  }

  /** Divides a minute's quota evenly among sending processes, this one included. */
  share(processes: number): void {
    for (const route of this.#routes) route.share(processes);
  }

  /** Returns why each route pauses, or cannot tell whether refused devices are dead; null: neither. */
  pauses(): readonly { readonly route: Route; readonly pause: Pause | null; readonly unproven: Unproven | null }[] {
    return this.#routes.map(({ route, pause, unproven }) => ({ route, pause, unproven }));
  }

  /** Holds a route for an operator since then (wall clock); null releases it. */
  hold(route: Route, sinceWallMs: number | null): void {
    this.#find(route)?.hold(sinceWallMs);
  }

  /** Resumes an operator's pause from before this start (wall clock). */
  holdOn(route: Route, sinceWallMs: number): void {
    this.#find(route)?.holdOn(sinceWallMs);
  }

  /** Probes every paused route now, except operators' pauses. */
  hurry(): void {
    for (const route of this.#routes) route.hurry();
  }

  /** Retries signature refusals after the clock was set. */
  tryRefused(): void {
    for (const route of this.#routes) route.tryRefused();
  }

  open(route: Route): void {
    this.#find(route)?.open();
  }

  /** Holds pushes of an unusable provider until `open`. */
  switchOff(route: Route, reason: string): void {
    this.#find(route)?.switchOff(reason);
  }

  /** Sends due pushes for at most `drainMs`, then waits at most `settleMs` for those in flight. */
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
    // A timer would keep the stopped process alive.
    if (!this.#isStopped) this.#cancelSweep = after(SWEEP_EVERY_MS, () => void this.#sweep());
  }

  /** Reports bugs, which do not end the loop. Stores that cannot write report themselves. */
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
