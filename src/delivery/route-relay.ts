import type { Lane, Route } from '../push.ts';
import { StoreUnavailable } from '../store/calls.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { CircuitBreaker, type Pause } from './circuit-breaker.ts';
import { type Dispatch, dispatch, giveBack, type RelayDeps } from './dispatch.ts';
import { Lanes } from './lanes.ts';
import { BATCH_SIZE, IN_FLIGHT_A_THREAD } from './limits.ts';
import type { OpenClaim } from './open-claims.ts';
import { ProbeTurns, Signal, TokenBucket } from './pacing.ts';
import type { Unproven } from './quarantine.ts';
import { retryCarefully } from './retry.ts';

const STORE_AGAIN_MS = 1_000;
/** Probes are chosen from so many pushes per lane, including workspaces whose turn it is. */
const PROBE_CHOICE = 20;
export const UNPROVEN =
  'the provider refuses devices and accepts none: they are dead, or environment, topic or project is wrong; ' +
  'their pushes wait, see pushctl route list';
export const STILL_PAUSED =
  'an operator paused the route before this start, and its pushes wait: to resume, pushctl route resume';
const FAILED = 'an unexpected error stopped a route; it is retried';

/** Runs one route independently: claims, dispatches, waits for room or work. */
export class RouteRelay {
  readonly route: Route;
  readonly #deps: RelayDeps;
  readonly #breaker: CircuitBreaker;
  readonly #lanes: Lanes;
  readonly #probeTurns = new ProbeTurns();
  readonly #quota: TokenBucket | null;
  readonly #signal: Signal;
  readonly #out = new Set<Promise<void>>();
  #phase: 'running' | 'draining' | 'stopped' = 'running';
  #logged: { readonly pause: Pause | null; readonly unproven: Unproven | null } = { pause: null, unproven: null };
  #loop: Promise<void> | null = null;

  constructor(route: Route, deps: RelayDeps, perMinute: number | null) {
    this.route = route;
    this.#deps = deps;
    this.#breaker = new CircuitBreaker(route, deps.policy, deps.clock.steadyMs(), deps.random);
    const { urgent, standard, quarantine } = IN_FLIGHT_A_THREAD;
    const { threads } = deps;
    this.#lanes = new Lanes({
      urgent: urgent * threads,
      standard: standard * threads,
      quarantine: quarantine * threads,
    });
    this.#quota = perMinute === null ? null : new TokenBucket(perMinute, deps.clock.steadyMs());
    this.#signal = new Signal(deps.after);
  }

  get pause(): Pause | null {
    return this.#breaker.pause;
  }

  get unproven(): Unproven | null {
    return this.#breaker.quarantine.unproven;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Notes possible work in the lane, or any. */
  nudge(lane?: Lane): void {
    this.#lanes.noteWork(lane);
    this.#signal.set();
  }

  share(processes: number): void {
    this.#quota?.divide(processes, this.#now());
    this.nudge();
  }

  /** Tries at once, after any pause: credentials are usable again. */
  open(): void {
    this.#breaker.reset(this.#now());
    this.nudge();
  }

  /** Holds the whole route since then (wall clock), also pushes in delivery threads; null: an operator released it. */
  hold(sinceWallMs: number | null): void {
    this.#hold(sinceWallMs);
    if (sinceWallMs !== null) this.#deps.openClaims.recall(this.route);
    this.#report();
    this.nudge();
  }

  /** Resumes an operator's pause from before this start, and does not log it as a new pause. */
  holdOn(sinceWallMs: number): void {
    this.#hold(sinceWallMs);
    const { route, pause, unproven } = this;
    this.#deps.log.warn({ route, since: toTimestamp(sinceWallMs) }, STILL_PAUSED);
    this.#logged = { pause, unproven };
  }

  /** Makes the next try due. */
  hurry(): void {
    this.#breaker.hurry(this.#now());
    this.nudge();
  }

  tryRefused(): void {
    this.#breaker.tryRefused(this.#now());
    this.nudge();
  }

  switchOff(reason: string): void {
    this.#breaker.switchOff(reason, this.#now());
    this.nudge();
  }

  /** Resolves when nothing is due, or the route pauses. */
  async drain(): Promise<void> {
    this.#phase = 'draining';
    this.nudge();
    await this.#loop;
  }

  /** Stops claiming. Resolves once all claims are settled. */
  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.nudge();
    await this.#loop;
    await Promise.all(this.#out);
  }

  #hold(sinceWallMs: number | null): void {
    const { clock } = this.#deps;
    this.#breaker.hold(sinceWallMs === null ? null : this.#now() - Math.max(0, clock.wallMs() - sinceWallMs));
  }

  async #run(): Promise<void> {
    while (this.#phase !== 'stopped') {
      try {
        const isAtWork = this.#breaker.pause ? await this.#probe(this.#breaker.pause) : await this.#claim();
        if (isAtWork) continue;
        if (this.#phase === 'draining' && this.#lanes.isIdle && !this.#canClaim()) return;
        await this.#signal.wait(this.#untilNext());
      } catch (error) {
        // An error here must end neither the other routes nor the process.
        if (!(error instanceof StoreUnavailable)) this.#deps.log.error({ err: error, route: this.route }, FAILED);
        this.#lanes.noteWork();
        await this.#signal.wait(STORE_AGAIN_MS);
      }
    }
  }

  /** Claims for each lane's free places, urgent first. Returns whether there may be more. */
  async #claim(): Promise<boolean> {
    const { quarantine } = this.#breaker;
    this.#lanes.closeUntil('quarantine', quarantine.nextTrialMs);
    for (const lane of this.#lanes.claimable(this.#now())) {
      const isTrial = lane === 'quarantine' && !quarantine.isGood;
      const limit = Math.min(
        this.#lanes.free(lane, this.#now()),
        this.#available(),
        isTrial ? BATCH_SIZE : Number.POSITIVE_INFINITY,
      );
      if (limit === 0) break;
      const claims = await this.#claimFrom(lane, limit, BATCH_SIZE);
      if (this.#breaker.pause) {
        // It came while the store claimed.
        for (const claim of claims) await this.#giveBack(claim);
        return true;
      }
      this.#quota?.take(claims.reduce((sum, { targets }) => sum + targets.length, 0));
      if (isTrial && claims.length > 0) quarantine.tried(this.#now());
      for (const claim of claims) void this.#send(claim, 'judge');
    }
    this.#lanes.closeUntil('quarantine', quarantine.nextTrialMs);
    return this.#available() > 0 && this.#lanes.claimable(this.#now()).length > 0;
  }

  /** Sends one push on a paused route once due. */
  async #probe(pause: Pause): Promise<boolean> {
    if (this.#phase === 'draining' || !this.#lanes.isIdle || pause.nextProbeMs > this.#now()) return false;
    if (this.#available() === 0) return false;
    const choice: OpenClaim[] = [];
    let chosen: OpenClaim | undefined;
    try {
      for (const lane of this.#lanes.claimable(this.#now())) {
        // A device that may be dead proves little.
        if (lane === 'quarantine' && choice.length > 0) break;
        choice.push(...(await this.#claimFrom(lane, PROBE_CHOICE, 1)));
      }
      if (this.#breaker.pause?.kind !== 'operator') chosen = this.#probeTurns.choose(choice);
    } finally {
      for (const claim of choice) if (claim !== chosen) await this.#giveBack(claim);
    }
    if (!chosen) return false;
    this.#quota?.take(1);
    await this.#send(chosen, 'probed');
    if (!this.#breaker.pause) this.#lanes.startSlowly(this.#now());
    this.#lanes.noteWork();
    return true;
  }

  async #giveBack(claim: OpenClaim): Promise<void> {
    await giveBack(claim, this.#deps);
    this.#deps.openClaims.close(claim);
    this.#lanes.settled(claim.lane, claim.targets.length);
    this.#lanes.noteWork(claim.lane);
  }

  async #claimFrom(lane: Lane, limit: number, batchSize: number): Promise<readonly OpenClaim[]> {
    const { store, openClaims, links, log } = this.#deps;
    const { route } = this;
    this.#lanes.claiming(lane);
    const asked = { route, lane, limit, batchSize };
    const { claims, nextDueInMs, finished } = await openClaims.ask(() =>
      retryCarefully(log, (isCareful) => store.claimBatches({ ...asked, isCareful })),
    );
    const pushes = claims.reduce((sum, { targets }) => sum + targets.length, 0);
    const dueAtMs = nextDueInMs === null ? null : this.#now() + nextDueInMs;
    this.#lanes.claimed(lane, pushes, pushes === limit, dueAtMs);
    for (const publicId of finished) links.drop(publicId);
    return claims;
  }

  #send(claim: OpenClaim, how: 'judge' | 'probed'): Promise<void> {
    const { turn } = this.#breaker.quarantine;
    let open = claim.targets.length;
    const judge: Dispatch['judge'] = (answers) =>
      this.#breaker[how]({ answers, targets: claim.targets, turn }, this.#now());
    const isHeld: Dispatch['isHeld'] = (target) => this.#breaker.quarantine.isHeld(target);
    const settled: Dispatch['settled'] = (pushes, isDone) => {
      open -= pushes;
      if (!isDone) for (const lane of [claim.lane, 'quarantine'] as const) this.#lanes.noteWork(lane);
      this.#lanes.settled(claim.lane, pushes);
      this.#report();
      this.#signal.set();
    };
    const sending = dispatch(claim, this.#deps, { isHeld, judge, settled })
      .catch((error) => {
        this.#deps.log.error({ err: error, route: this.route }, FAILED);
        settled(open, false);
      })
      .finally(() => {
        this.#deps.openClaims.close(claim);
        this.#out.delete(sending);
      });
    this.#out.add(sending);
    return sending;
  }

  #available(): number {
    return this.#quota?.available(this.#now()) ?? Number.POSITIVE_INFINITY;
  }

  /** Tells whether only the quota may delay something due. */
  #canClaim(): boolean {
    return !this.#breaker.pause && this.#lanes.claimable(this.#now()).length > 0;
  }

  /** Logs each pause, quarantine and recovery once, except those of a stop. */
  #report(): void {
    if (this.#phase === 'stopped') return;
    const { route, pause, unproven } = this;
    const { log } = this.#deps;
    if (pause && pause.reason !== this.#logged.pause?.reason) {
      const { kind, reason, words } = pause;
      log.warn({ route, kind, reason, words }, 'route paused, its pushes wait');
    }
    if (!pause && this.#logged.pause) log.info({ route }, 'route open again');
    if (unproven && unproven.reason !== this.#logged.unproven?.reason)
      log.warn({ route, reason: unproven.reason }, UNPROVEN);
    if (!unproven && this.#logged.unproven)
      log.info({ route }, 'a push was accepted: refused devices are no longer in unproven');
    this.#logged = { pause, unproven };
  }

  /**
   * Returns the wait to the next possible work. Reads the clock after the look that found nothing, so nothing due in
   * between is missed.
   */
  #untilNext(): number {
    const { pause } = this.#breaker;
    // A probe goes alone; settling the pushes in flight wakes the loop.
    if (pause && !this.#lanes.isIdle) return Number.POSITIVE_INFINITY;
    const nowMs = this.#now();
    const quotaMs = this.#quota?.waitMs(nowMs) ?? 0;
    const wakeAtMs = Math.max(this.#lanes.wakeAtMs(nowMs), pause?.nextProbeMs ?? 0);
    return Math.max(1, quotaMs, wakeAtMs - nowMs);
  }

  #now(): number {
    return this.#deps.clock.steadyMs();
  }
}
