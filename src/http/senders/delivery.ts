import { hash } from 'node:crypto';
import type { Notification } from '../../contract/senders/format.ts';
import type { PostedEvent } from '../../push.ts';
import type { Acceptance, Accepted, Poster } from '../acceptance.ts';
import { type Integrator, reachOf } from '../auth/api-key.ts';

/** A delivery of an event, which the sender may repeat. */
export interface Delivery {
  /** Tells whether its firing alerts had ended: it came late, by the pair's other Alertmanager. */
  isOver(): Promise<boolean>;
  /** Accepts the event once for all deliveries of a notification, unless it has an idempotency key. */
  accept(acceptance: Acceptance, by: Poster): Promise<Accepted>;
}

export function deliveryOf(
  { key, store }: Integrator,
  event: PostedEvent,
  notification: Notification | undefined,
  wallMs: number,
): Delivery {
  if (notification === undefined || event.idempotencyKey !== null) {
    return { isOver: async () => false, accept: (acceptance, by) => acceptance.accept(by, event) };
  }
  const { group } = notification;
  const named = { ...reachOf(key), channel: event.channel, group: group?.key ?? '' };
  const [current, before] = periodsOf(event.channel, notification, wallMs);
  return {
    async isOver() {
      const firing = Object.entries(group?.firing ?? {});
      if (firing.length === 0) return false;
      const ended = await store.endsOfAlerts(named);
      return firing.every(([alert, beganMs]) => beganMs < (ended[alert] ?? Number.NEGATIVE_INFINITY));
    },

    async accept(acceptance, by) {
      const { request: _, ...counted } = by;
      const earlier = await acceptance.check(by, { ...event, idempotencyKey: before });
      const isSame = earlier.kind === 'replayed' && isWithin(notification, earlier.event.received_at, wallMs);
      const accepted = isSame ? earlier : await acceptance.accept(counted, { ...event, idempotencyKey: current });
      if (group !== undefined && Object.keys(group.ended).length > 0) {
        await store.noteEndsOfAlerts({ ...named, ended: group.ended });
      }
      return accepted;
    },
  };
}

/**
 * Returns the current idempotency key and the previous period's. Alertmanager's repeats, retries and the pair's other
 * delivery are byte-identical: only time distinguishes them.
 */
function periodsOf(
  channel: string,
  { key, sameForMs }: Notification,
  wallMs: number,
): readonly [current: string, before: string] {
  const period = Math.floor(wallMs / sameForMs);
  const digest = hash('sha256', `${channel}\n${key}`);
  return [`notification:${digest}:${period}`, `notification:${digest}:${period - 1}`];
}

function isWithin({ sameForMs }: Notification, receivedAt: string, wallMs: number): boolean {
  return wallMs - Date.parse(receivedAt) < sameForMs;
}
