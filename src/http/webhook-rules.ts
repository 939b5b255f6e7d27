import { fieldProblem } from '../contract/names.ts';
import { webhookPlaceProblem } from '../contract/webhook-addresses.ts';
import { webhookUrlProblem } from '../contract/webhooks.ts';
import type { Service } from './service.ts';

/** What is wrong with the address of a webhook. Where a name leads is known only once it is connected to. */
export function webhookProblems({ url }: { readonly url?: string }, { webhooks }: Service['config']) {
  if (url === undefined) return [];
  const form = webhookUrlProblem(url);
  const problem = form ?? (webhooks.allowPrivate ? null : webhookPlaceProblem(url));
  return problem === null ? [] : [fieldProblem('url', `The url field ${problem}.`)].filter((one) => one !== null);
}
