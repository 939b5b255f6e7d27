import type { Logger } from 'pino';
import { type After, type Clock, hasJumped, type Moment, momentOf } from '../process/clock.ts';

const LOOK_EVERY_MS = 5_000;

export interface ClockWatchDeps {
  readonly clock: Clock;
  readonly after: After;
  readonly log: Logger;
  readonly onJump: () => void;
}

/** Notices a set clock or a sleep, after which time-related refusals may end. */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #lookedAt: Moment;
  #cancel: () => void = () => {};

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
    this.#lookedAt = momentOf(deps.clock);
  }

  start(): void {
    this.#cancel = this.#deps.after(LOOK_EVERY_MS, () => this.#look());
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, log, onJump } = this.#deps;
    const before = this.#lookedAt;
    const now = momentOf(clock);
    if (hasJumped(clock, before)) {
      const seconds = Math.round((now.wallMs - before.wallMs - (now.steadyMs - before.steadyMs)) / 1_000);
      log.warn({ seconds }, 'the clock of this machine was changed, or the machine was suspended');
      onJump();
    }
    this.#lookedAt = now;
    this.start();
  }
}
