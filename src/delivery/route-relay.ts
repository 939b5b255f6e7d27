import type { Lane, Route } from '../push.ts';
import { type Claim, StoreUnavailable } from '../store/calls.ts';
import { Courier, type Judge } from './courier.ts';
import { type Pause, RouteHealth } from './health.ts';
import { Lanes } from './lanes.ts';
import { Pace } from './pace.ts';
import { PLACES_A_THREAD, TARGETS_A_BATCH } from './places.ts';
import type { RelayParts } from './relay.ts';
import { Signal } from './signal.ts';

const STORE_AGAIN_MS = 1_000;

/** The loop of one route: claim, hand to a courier, wait for a place or for work. Routes do not know of each other. */
export class RouteRelay {
  readonly route: Route;
  readonly #parts: RelayParts;
  readonly #health: RouteHealth;
  readonly #lanes: Lanes;
  readonly #pace: Pace | null;
  readonly #courier: Courier;
  readonly #signal: Signal;
  readonly #out = new Set<Promise<void>>();
  #phase: 'running' | 'draining' | 'stopped' = 'running';
  #told: Pause | null = null;
  #loop: Promise<void> | null = null;

  constructor(route: Route, parts: RelayParts, perMinute: number | null) {
    this.route = route;
    this.#parts = parts;
    this.#health = new RouteHealth(parts.policy, parts.clock.steadyMs(), parts.random);
    const { urgent, standard } = PLACES_A_THREAD;
    this.#lanes = new Lanes({ urgent: urgent * parts.threads, standard: standard * parts.threads });
    this.#pace = perMinute === null ? null : new Pace(perMinute, parts.clock.steadyMs());
    this.#courier = new Courier(parts);
    this.#signal = new Signal(parts.after);
  }

  get pause(): Pause | null {
    return this.#health.pause;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Something may have come into the queue. */
  nudge(): void {
    this.#lanes.stir();
    this.#signal.set();
  }

  /** The provider's credentials are there (again): try at once, whatever the route was paused for. */
  open(): void {
    this.#health.open(this.#parts.clock.steadyMs());
    this.nudge();
  }

  switchOff(reason: string): void {
    this.#health.switchOff(reason, this.#parts.clock.steadyMs());
    this.nudge();
  }

  /** Resolves once nothing that is due is left, or the route is paused. */
  async drain(): Promise<void> {
    this.#phase = 'draining';
    this.nudge();
    await this.#loop;
  }

  /** Claims nothing more. Resolves once all that is out has been settled. */
  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.nudge();
    await this.#loop;
    await Promise.all(this.#out);
  }

  async #run(): Promise<void> {
    while (this.#phase !== 'stopped') {
      try {
        const isAtWork = this.#health.pause ? await this.#probe(this.#health.pause) : await this.#claim();
        if (isAtWork) continue;
        if (this.#phase === 'draining' && this.#lanes.isIdle) return;
        await this.#signal.wait(this.#untilNext());
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.#lanes.stir();
        await this.#signal.wait(STORE_AGAIN_MS);
      }
    }
  }

  /** Fills the free places, urgent ones first. Answers whether there may be more to claim at once. */
  async #claim(): Promise<boolean> {
    for (const lane of this.#lanes.claimable(this.#now())) {
      const claims = await this.#claimFrom(lane, this.#lanes.free(lane), TARGETS_A_BATCH);
      for (const claim of claims) this.#send(claim, (answers) => this.#health.judge(answers, this.#now()));
    }
    return this.#lanes.claimable(this.#now()).length > 0;
  }

  /** A paused route sends one push at a time, and only when its time has come. */
  async #probe(pause: Pause): Promise<boolean> {
    if (this.#phase === 'draining' || !this.#lanes.isIdle || pause.nextProbeMs > this.#now()) return false;
    for (const lane of this.#lanes.claimable(this.#now())) {
      const [claim] = await this.#claimFrom(lane, 1, 1);
      if (!claim) continue;
      await this.#send(claim, (answers) => this.#health.probed(answers, this.#now()));
      this.#lanes.stir();
      return true;
    }
    return false;
  }

  async #claimFrom(lane: Lane, limit: number, pageSize: number): Promise<readonly Claim[]> {
    const { store, clock, links } = this.#parts;
    const { route } = this;
    this.#lanes.asked(lane);
    const steadyMs = this.#now();
    const answer = await store.claimBatches({ route, lane, limit, pageSize, steadyMs, wallMs: clock.wallMs() });
    this.#lanes.answered(lane, answer.claims.length === limit, answer.nextDueSteadyMs);
    for (const publicId of answer.finished) links.drop(publicId);
    return answer.claims;
  }

  #send(claim: Claim, judge: Judge): Promise<void> {
    this.#lanes.leave(claim.lane);
    const sending = this.#paced(claim.targets.length)
      .then(() => this.#courier.deliver(claim, judge))
      .then((isDone) => {
        if (!isDone) this.#lanes.stir(claim.lane);
        this.#lanes.back(claim.lane);
        this.#out.delete(sending);
        this.#tell();
        this.#signal.set();
      });
    this.#out.add(sending);
    return sending;
  }

  async #paced(sends: number): Promise<void> {
    const waitMs = this.#pace?.take(sends, this.#now()) ?? 0;
    if (waitMs > 0) await new Promise<void>((resolve) => this.#parts.after(waitMs, resolve));
  }

  /** Operators hear of every pause and of every recovery, once. */
  #tell(): void {
    const { pause } = this.#health;
    const { log } = this.#parts;
    const { route } = this;
    if (pause && pause.reason !== this.#told?.reason) {
      log.warn({ route, kind: pause.kind, reason: pause.reason }, 'route paused, its pushes wait');
    }
    if (!pause && this.#told) log.info({ route }, 'route open again');
    this.#told = pause;
  }

  #untilNext(): number {
    const nowMs = this.#now();
    const probeAtMs = this.#health.pause?.nextProbeMs ?? nowMs;
    if (probeAtMs > nowMs) return probeAtMs - nowMs;
    const wakeAtMs = this.#lanes.wakeAtMs();
    return wakeAtMs === null ? Number.POSITIVE_INFINITY : Math.max(1, wakeAtMs - nowMs);
  }

  #now(): number {
    return this.#parts.clock.steadyMs();
  }
}
