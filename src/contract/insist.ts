import type { ApiSchema, BodyOf } from './api-types.ts';
import type { FieldProblem } from './names.ts';

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
    return { field, message: `The ${field} field must be a whole number of seconds from ${least} to ${most}.` };
  }
  if (on_call !== undefined && on_call.widen_after > until) {
    const field = 'insist.on_call.widen_after';
    return { field, message: `The ${field} field must not be longer than insist.until, which is ${until} seconds.` };
  }
  if (until / repeat <= MOST_REPEATS) return null;
  const message = `The insist.repeat field must be at least ${Math.ceil(until / MOST_REPEATS)}: no more than ${MOST_REPEATS} reminders fit in insist.until.`;
  return { field: 'insist.repeat', message };
}
