import type { PulseItem, RoutePulse, SentItem } from '../../src/server/feed/items.ts';

/** A second of a server that does nothing, with what a test says of it. */
export function aPulse(with_: Partial<PulseItem> = {}): PulseItem {
  return {
    kind: 'pulse',
    at: '2026-11-21T09:30:00.000+00:00',
    period_ms: 1_000,
    events: 0,
    routes: [aRoutePulse()],
    latency: null,
    batches_in_flight: 0,
    links_bytes: 0,
    skipped: 0,
    ...with_,
  };
}

export function aRoutePulse(with_: Partial<RoutePulse> = {}): RoutePulse {
  return {
    route: 'fcm',
    pause: null,
    connections: 0,
    accepted: 0,
    errors: 0,
    waiting: 0,
    deferred: 0,
    oldest_ms: null,
    ...with_,
  };
}

export function aSent(with_: Partial<SentItem> = {}): SentItem {
  return {
    kind: 'sent',
    at: '2026-11-21T09:30:00.123+00:00',
    workspace: 'acme',
    channel: 'alerts',
    event: 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
    route: 'fcm',
    after_ms: 45,
    outcomes: [{ outcome: 'accepted', reason: null, count: 1 }],
    ...with_,
  };
}
