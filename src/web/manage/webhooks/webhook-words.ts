import type { Schema } from '../../api/client.ts';
import { webhooks as texts } from '../../texts/senders.ts';

type Webhook = Schema<'Webhook'>;

const OF_STATUS = /^http_(\d+)$/;

/** Returns why a receiver failed, in words; connection codes stay. */
export function failureWords(failure: string): string {
  const [, status] = OF_STATUS.exec(failure) ?? [];
  if (status !== undefined) return texts.status(status);
  return texts.failures[failure as keyof typeof texts.failures] ?? failure;
}

/** Returns a test's result, from the webhook before and after; null: pending. */
export function testResult(before: Webhook, after: Webhook): string | null {
  if (after.last_taken_at !== null && after.last_taken_at !== before.last_taken_at) return texts.tested;
  if (after.failing_since === null || after.failing_since === before.failing_since) return null;
  return texts.testFailed(failureWords(after.last_failure ?? ''));
}
