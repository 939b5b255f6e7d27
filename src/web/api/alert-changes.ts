import type { Alert } from './alerts.ts';
import { ask } from './ask.ts';
import type { Answer } from './problem.ts';

/** `forS`: then it opens again. `all`: also each open alert of its channel that was opened before it. */
export async function acknowledge(
  publicId: string,
  { forS, all }: { readonly forS?: number; readonly all?: boolean } = {},
): Promise<Answer<Alert>> {
  const body = { ...(forS !== undefined && { for: forS }), ...(all !== undefined && { all }) };
  return alertIn(ask('post', '/v1/events/{public_id}/acknowledge', { path: { public_id: publicId }, body }));
}

export async function resolve(publicId: string): Promise<Answer<Alert>> {
  return alertIn(ask('post', '/v1/events/{public_id}/resolve', { path: { public_id: publicId } }));
}

async function alertIn(coming: Promise<Answer<{ readonly alert: Alert }>>): Promise<Answer<Alert>> {
  const answer = await coming;
  return answer.ok ? { ok: true, data: answer.data.alert } : answer;
}
