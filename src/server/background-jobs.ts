import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Relay } from '../delivery/relay.ts';
import {
  type After,
  type Clock,
  hasJumped,
  type Moment,
  momentOf,
  type SystemClock,
  systemAfter,
} from '../process/clock.ts';
import type { ServingStore } from '../store/client.ts';
import type { Certificates } from './certificates.ts';
import type { DeliveryWatch } from './delivery-watch.ts';
import type { ServerFindings } from './findings.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Metrics } from './metrics.ts';
import { SignOfLife } from './sign-of-life.ts';
import { alertRounds, heartbeatWatch, receiptWatch, rotaHandovers, scheduledReleases } from './timed-work.ts';
import { WebhookSender } from './webhooks/sender.ts';

interface Parts {
  readonly config: Config;
  readonly store: ServingStore;
  readonly clock: SystemClock;
  readonly log: Logger;
  readonly metrics: Metrics | null;
  readonly relay: Relay;
  readonly watch: DeliveryWatch;
  readonly findings: ServerFindings;
  readonly certificates: Pick<Certificates, 'doubtClock'> | null;
}

export function backgroundJobs(parts: Parts) {
  const { config, store, clock, log, metrics, relay, watch, findings, certificates } = parts;
  const timed = { store, clock, after: systemAfter, log };
  const housekeeping = new Housekeeping(timed);
  const onJump = () => {
    relay.tryRefused();
    certificates?.doubtClock();
  };
  store.onTouched('cleanup', () => housekeeping.wake());
  return [
    watch,
    new ClockWatch({ ...timed, onJump }),
    housekeeping,
    heartbeatWatch(timed),
    alertRounds({ ...timed, pauses: () => relay.pauses(), onEnded: (alerts) => metrics?.ended(alerts) }),
    scheduledReleases(timed),
    rotaHandovers(timed),
    ...(config.web.receipts ? [receiptWatch(timed)] : []),
    new WebhookSender({ ...timed, config, onSent: (outcome) => metrics?.webhookSent(outcome) }),
    ...(config.watchdog === null ? [] : [new SignOfLife({ ...config.watchdog, ...timed, findings })]),
  ];
}

const LOOK_EVERY_MS = 5_000;

interface ClockWatchDeps {
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
