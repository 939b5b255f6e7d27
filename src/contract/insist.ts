import type { ApiSchema, BodyOf } from './api-types.ts';
import { type FieldProblem, fieldProblem } from './details.ts';

/** How a channel insists, in seconds. */
export type InsistPolicy = NonNullable<ApiSchema<'Channel'>['insist']>;

const MOST_REPEATS = 50;

const RANGES = {
  'insist.repeat': [60, 3_600],
  'insist.until': [300, 86_400],
  'insist.ring_after': [0, 900],
  'insist.escalate.after': [60, 86_400],
  'insist.on_call.widen_after': [60, 86_400],
} as const;

/** After a burst of twenty messages with a notification, Google lets one through to a device in three minutes. */
export const LEAST_REPEAT_OF_NOTIFICATIONS_S = 180;

const DEFAULTS = { repeat: 120, until: 3_600, ring_after: 0 } as const;
const WIDEN_AFTER_S = 300;

export function withDefaults({ on_call, ...asked }: NonNullable<BodyOf<'updateChannel'>['insist']>): InsistPolicy {
  return { ...DEFAULTS, ...asked, ...(on_call && { on_call: { widen_after: WIDEN_AFTER_S, ...on_call } }) };
}

/** Returns a policy's fault; null: none. The store checks the channel. */
export function insistProblem({ repeat, until, ring_after, escalate, on_call }: InsistPolicy): FieldProblem | null {
  const given = {
    'insist.repeat': repeat,
    'insist.until': until,
    'insist.ring_after': ring_after,
    ...(escalate !== undefined && { 'insist.escalate.after': escalate.after }),
    ...(on_call !== undefined && { 'insist.on_call.widen_after': on_call.widen_after }),
  };
  for (const [field, seconds] of Object.entries(given) as [keyof typeof RANGES, number][]) {
    const [least, most] = RANGES[field];
    if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= most) continue;
    return fieldProblem(field, 'whole_seconds', { least, most });
  }
  if (on_call !== undefined && on_call.widen_after > until) {
    return fieldProblem('insist.on_call.widen_after', 'beyond_until', { most: until });
  }
  if (until / repeat <= MOST_REPEATS) return null;
  const least = Math.ceil(until / MOST_REPEATS);
  return fieldProblem('insist.repeat', 'too_many_reminders', { least, most: MOST_REPEATS });
}
