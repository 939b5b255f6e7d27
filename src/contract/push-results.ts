/**
 * Reasons for push results, for commands, API (`schemas/push-result.json`) and web app (German:
 * `web/texts/de/members.ts`). A person's first result counts.
 */
export const PUSH_RESULTS = {
  accepted: 'accepted',
  quiet: 'accepted, without a sound',
  not_on_call: 'accepted, without a sound: not on call',
  waiting: 'waits',
  route_paused: 'route paused',
  workspace_suspended: 'workspace suspended',
  held: 'held in quarantine',
  set_aside: 'held by an error',
  refused: 'refused',
  expired: 'expired unsent',
  inactive: 'inactive',
  muted: 'muted',
  own_act: 'left out: own action',
  cancelled: 'event cancelled',
  restored: 'ended by a restore',
  gone: 'left before the push was sent',
  joined_later: 'joined later',
  subscribed_later: 'subscribed later',
  not_subscribed: 'not subscribed, as far as known',
  not_for_it: 'for other devices only',
  no_provider: 'provider not configured',
  unknown: 'unknown',
  no_device: 'no device',
} as const;

export type PushResult = keyof typeof PUSH_RESULTS;

const ORDER = Object.keys(PUSH_RESULTS) as readonly PushResult[];

/** Returns the result that represents a person's devices. */
export function bestOf(results: readonly PushResult[]): PushResult {
  return ORDER.find((result) => results.includes(result)) ?? 'no_device';
}
