import { useEffect, useRef } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { webhooks as texts } from '../../texts/senders.ts';
import { testResult } from './webhook-words.ts';

type Webhook = Schema<'Webhook'>;

const LOOK_AFTER_MS = 1_500;
/** Receivers have ten seconds to answer. */
const MOST_LOOKS = 10;

interface WebhookTest extends Pick<Change, 'problem'> {
  readonly test: (webhook: Webhook) => Promise<void>;
}

/** Sends test messages, and polls for the result. `say`: shows a text and reloads. */
export function useWebhookTest(workspace: string, say: (text: string) => void): WebhookTest {
  const { problem, make } = useChange();
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = async (before: Webhook, looks: number): Promise<void> => {
    const answer = await ask('get', '/v1/workspaces/{workspace}/webhooks', { path: { workspace } });
    const after = answer.ok ? answer.data.webhooks.find(({ id }) => id === before.id) : before;
    const result = after && testResult(before, after);
    if (result) say(result);
    else if (after && looks > 1) lookLater(before, looks - 1);
  };
  const lookLater = (before: Webhook, looks: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void look(before, looks), LOOK_AFTER_MS);
  };
  return {
    problem,
    async test(webhook) {
      const path = { workspace, webhook: webhook.id };
      const sent = await make(() => change('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/test', { path }));
      if (sent === null) return;
      say(texts.testing);
      lookLater(webhook, MOST_LOOKS);
    },
  };
}
