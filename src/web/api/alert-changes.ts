import type { Alert } from './alerts.ts';
import { ask } from './ask.ts';
import { partOf } from './part-of.ts';
import type { Answer } from './problem.ts';

/** A session gets the whole alert. */
const wholeAlert = ({ alert }: { readonly alert: object }) => alert as Alert;

/** `forS`: then it opens again. `all`: also each open alert of its channel that was opened before it. */
export function acknowledge(
  publicId: string,
  { forS, all }: { readonly forS?: number; readonly all?: boolean } = {},
): Promise<Answer<Alert>> {
  const input = { path: { public_id: publicId }, body: { for: forS, all } };
  return partOf(ask('post', '/v1/events/{public_id}/acknowledge', input), wholeAlert);
}

export function resolve(publicId: string): Promise<Answer<Alert>> {
  return partOf(ask('post', '/v1/events/{public_id}/resolve', { path: { public_id: publicId } }), wholeAlert);
}
