import { knownAlerts } from '../kept-events.ts';
import { ask } from './ask.ts';
import type { Input, Schema } from './client.ts';
import { type Answer, partOf } from './problem.ts';
import { kept, useKept } from './use-load.ts';

export type Alert = Schema<'Alert'>;
export type AlertPage = Schema<'AlertList'>;
type Query = NonNullable<Input<'get', '/v1/alerts'>['query']>;

/** The most alerts of a list. */
const AT_ONCE = 100;

/** The last loaded open and acknowledged alerts of all workspaces; null: unknown yet. */
export const liveAlerts = kept<AlertPage>();

/** Keeps `liveAlerts` current while signed in. */
export function useLiveAlerts(): void {
  useKept(liveAlerts, async () => knownAlerts(await loadAlerts('live')), ['alerts', 'inbox', 'channels', 'session']);
}

/** Loads a state's newest alerts, or those before one. */
export function loadAlerts(state: NonNullable<Query['state']>, before?: string): Promise<Answer<AlertPage>> {
  return ask('get', '/v1/alerts', { query: { state, limit: AT_ONCE, before } });
}

/** A session gets the whole alert. */
const wholeAlert = ({ alert }: { readonly alert: object }) => alert as Alert;

/** Acknowledges an alert. `forS`: until it reopens. `all`: also the channel's older open alerts. */
export function acknowledge(
  publicId: string,
  { forS, all }: { readonly forS?: number; readonly all?: boolean } = {},
): Promise<Answer<Alert>> {
  const input = { path: { public_id: publicId }, body: { for: forS, all } };
  return partOf(ask('post', '/v1/events/{public_id}/acknowledge', input), wholeAlert);
}

/** Reopens an alert. `all`: undoes only the user's last act, for all its alerts. */
export function reopen(publicId: string, { all }: { readonly all?: boolean } = {}): Promise<Answer<Alert>> {
  const input = { path: { public_id: publicId }, body: { all } };
  return partOf(ask('post', '/v1/events/{public_id}/reopen', input), wholeAlert);
}

export function reassign(publicId: string, to: string): Promise<Answer<Alert>> {
  const input = { path: { public_id: publicId }, body: { to } };
  return partOf(ask('post', '/v1/events/{public_id}/reassign', input), wholeAlert);
}

export type Assignee = Schema<'Assignees'>['people'][number];

export function loadAssignees(publicId: string): Promise<Answer<readonly Assignee[]>> {
  const coming = ask('get', '/v1/events/{public_id}/assignees', { path: { public_id: publicId } });
  return partOf(coming, ({ people }) => people);
}

export function resolve(publicId: string): Promise<Answer<Alert>> {
  return partOf(ask('post', '/v1/events/{public_id}/resolve', { path: { public_id: publicId } }), wholeAlert);
}
