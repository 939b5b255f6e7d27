import type { Alert } from './alerts.ts';
import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import { partOf } from './part-of.ts';
import type { Answer } from './problem.ts';

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
