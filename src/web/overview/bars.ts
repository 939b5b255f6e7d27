const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

interface Slot {
  readonly start: string;
  readonly events: number;
  readonly accepted: number;
  readonly failed: number;
  readonly unregistered: number;
  readonly expired: number;
  readonly withdrawn: number;
}

export interface Bar {
  readonly startMs: number;
  readonly events: number;
  readonly accepted: number;
  /** Pushes that failed, expired or went to unregistered devices. Withdrawn pushes do not count. */
  readonly others: number;
}

/** Returns a bar per hour or day (UTC), filling those that the statistics omit. */
export function barsOf(slots: readonly Slot[], sinceMs: number, untilMs: number, by: 'hour' | 'day'): readonly Bar[] {
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const at = new Map(slots.map((slot) => [Date.parse(slot.start), slot]));
  const firstMs = Math.floor(sinceMs / stepMs) * stepMs;
  const count = Math.max(0, Math.floor((untilMs - firstMs) / stepMs) + 1);
  return Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + index * stepMs;
    const slot = at.get(startMs);
    if (slot === undefined) return { startMs, events: 0, accepted: 0, others: 0 };
    return {
      startMs,
      events: slot.events,
      accepted: slot.accepted,
      others: slot.failed + slot.unregistered + slot.expired,
    };
  });
}
