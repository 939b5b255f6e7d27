import { OperatorProblem } from '../../process/problem.ts';
import type { EventRecord } from '../../push.ts';
import { eventsAddress, postEvent } from '../post-event.ts';
import { DEMO_CHANNEL } from './workspace.ts';

export const FIRST = {
  title: 'Hello from pushctl',
  description: 'This event went through the API, the queue and both providers.',
  level: 'success',
};
export const FOR_BROWSERS = {
  title: 'This browser is a device now',
  description: 'Events of the channel “hello” arrive here, even if no page of pushctl is open.',
  level: 'success',
};

export interface Api {
  readonly baseUrl: string;
  readonly key: string;
}

export async function postToDemo({ baseUrl, key }: Api, event: Readonly<Record<string, string>>): Promise<EventRecord> {
  const answer = await postEvent(eventsAddress(baseUrl), key, { channel: DEMO_CHANNEL, ...event });
  if ('unanswered' in answer) throw new OperatorProblem(answer.unanswered);
  const { status, body } = answer;
  if (status !== 202)
    throw new OperatorProblem(`the event of the demo was rejected (${status}): ${JSON.stringify(body)}`);
  return (body as { event: EventRecord }).event;
}

/** Returns a curl command on one line, to be copied whole. */
export function curlOf({ baseUrl, key }: Api): string {
  const body = JSON.stringify({ channel: DEMO_CHANNEL, title: 'It works' });
  return [
    `curl ${baseUrl}/v1/events`,
    `-H 'Authorization: Bearer ${key}'`,
    "-H 'Content-Type: application/json' -H 'Accept: application/json'",
    `-d '${body}'`,
  ].join(' ');
}
