import { createHmac } from 'node:crypto';
import { toTimestampOrNull } from '../values/timestamp.ts';
import { shownQuiet } from './loudness.ts';
import { publicIdOf } from './public-id.ts';
import { wrongCharacter } from './urls.ts';

/** The kinds of messages for webhooks. */
export const WEBHOOK_KINDS = [
  'alert.opened',
  'alert.acknowledged',
  'alert.resolved',
  'alert.expired',
  'alert.reopened',
  'alert.reassigned',
  'heartbeat.down',
  'heartbeat.up',
  'event.settled',
] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** The default kinds of a webhook, without those of each event. */
export const DEFAULT_KINDS: readonly WebhookKind[] = WEBHOOK_KINDS.filter((kind) => kind !== 'event.settled');

/** The kind of a test message, which any webhook may get. */
export const TEST_KIND = 'webhook.test';

export const MOST_WEBHOOKS = 5;
const URL_MAX_LENGTH = 2048;

/** Returns the fault in the form of a webhook's address, as the end of a sentence about it; null: none. */
export function webhookUrlProblem(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > URL_MAX_LENGTH) return RULE;
  if (!URL.canParse(text)) return wrongCharacter(text) ?? RULE;
  const { protocol, hostname, username, password, hash } = new URL(text);
  return protocol === 'https:' && hostname !== '' && username === '' && password === '' && hash === '' ? null : RULE;
}

const RULE = `must be an https address of at most ${URL_MAX_LENGTH} characters, without user name, password and fragment`;

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** Whose base64 is the key of the signatures. https://www.standardwebhooks.com */
export function newWebhookSecret(randomBytes: (size: number) => Buffer): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The value of `webhook-signature`: by each secret, with a blank between two. */
export function webhookSignature(secrets: readonly string[], id: string, timestampS: number, body: string): string {
  const signed = `${id}.${timestampS}.${body}`;
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
}

/** The stored form of a message: times in milliseconds, UUIDs of events in hex. */
export interface StoredMessage {
  readonly kind: string;
  readonly at: number;
  readonly workspace: string;
  readonly data: string;
}

/** Returns the body for a receiver. */
export function webhookBody({ kind, at, workspace, data }: StoredMessage): string {
  const shown = Object.entries(JSON.parse(data) as Readonly<Record<string, unknown>>).map(([name, value]) => [
    name,
    shownAs(name, value),
  ]);
  return JSON.stringify({
    type: kind,
    timestamp: toTimestampOrNull(at),
    data: { workspace, ...Object.fromEntries(shown) },
  });
}

function shownAs(name: string, value: unknown): unknown {
  if (name === 'quiet') return shownQuiet(value as string | null);
  if (name.endsWith('_at')) return toTimestampOrNull(value as number | null);
  return name === 'id' || name === 'newest_event' ? publicIdOf(value as string) : value;
}

/** How long after each failed try the next one comes; after the last of them the message is given up. */
const TRIES_AFTER_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000];
/** The endpoint itself rests after a failure, whatever else waits for it: longer with each in a row. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 300_000;
/** Without anything taken, an endpoint is disabled. */
export const DISABLED_AFTER_MS = 3 * 86_400_000;

/** `attempts`: tries by now, of which each has failed. null: it is given up. */
export function nextTryInMs(attempts: number): number | null {
  return TRIES_AFTER_MS[attempts - 1] ?? null;
}

/** `failures`: in a row, of any of its messages. */
export function restMs(failures: number): number {
  return Math.min(FIRST_REST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_REST_MS);
}
