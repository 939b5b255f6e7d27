import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Relay } from '../delivery/relay.ts';
import { type SystemClock, systemAfter } from '../process/clock.ts';
import type { ServingStore } from '../store/serving-store.ts';
import type { Certificates } from './certificates.ts';
import { ClockWatch } from './clock-watch.ts';
import type { DeliveryWatch } from './delivery-watch.ts';
import type { ServerFindings } from './findings.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Metrics } from './metrics.ts';
import { SignOfLife } from './sign-of-life.ts';
import { alertRounds } from './timed/alert-rounds.ts';
import { rotaHandovers } from './timed/handovers.ts';
import { heartbeatWatch } from './timed/heartbeat-watch.ts';
import { receiptWatch } from './timed/receipt-watch.ts';
import { scheduledReleases } from './timed/releases.ts';
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
