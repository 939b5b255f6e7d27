import { createHmac } from 'node:crypto';
import { toTimestampOrNull } from '../values/timestamp.ts';
import { type FieldProblem, fieldProblem } from './details.ts';
import { shownQuiet } from './loudness.ts';
import { publicIdOf } from './public-id.ts';
import { wrongCharacter } from './urls.ts';

export const WEBHOOK_KINDS = [
  'alert.opened',
  'alert.acknowledged',
  'alert.resolved',
  'alert.expired',
  'alert.reopened',
  'alert.reassigned',
  'heartbeat.down',
  'heartbeat.up',
  'on_call.handover',
  'event.settled',
] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Default kinds, without each event's. */
export const DEFAULT_KINDS: readonly WebhookKind[] = WEBHOOK_KINDS.filter((kind) => kind !== 'event.settled');

/** The test message's kind, allowed for all webhooks. */
export const TEST_KIND = 'webhook.test';

export const MOST_WEBHOOKS = 5;
const URL_MAX_LENGTH = 2048;

/** Returns the fault of the form; null: none. */
export function webhookUrlProblem(text: unknown): FieldProblem | null {
  if (typeof text !== 'string' || text.length > URL_MAX_LENGTH) return BAD_URL;
  if (!URL.canParse(text)) return wrongCharacter('url', text) ?? BAD_URL;
  const { protocol, hostname, username, password, hash } = new URL(text);
  return protocol === 'https:' && hostname !== '' && username === '' && password === '' && hash === '' ? null : BAD_URL;
}

const BAD_URL = fieldProblem('url', 'webhook_url', { most: URL_MAX_LENGTH });

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** Returns a secret whose base64 is the signing key. https://www.standardwebhooks.com */
export function newWebhookSecret(randomBytes: (size: number) => Buffer): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Returns `webhook-signature`: one for each secret, separated by blanks. */
export function webhookSignature(secrets: readonly string[], id: string, timestampS: number, body: string): string {
  const signed = `${id}.${timestampS}.${body}`;
  return secrets
    .map((secret) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
}

/** A stored message: times in milliseconds, UUIDs in hex. */
export interface StoredMessage {
  readonly kind: string;
  readonly at: number;
  readonly workspace: string;
  readonly data: string;
}

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

/** Waits after failed tries; then the message is given up. */
const TRIES_AFTER_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000];
/** Rest of the whole endpoint after a failure, growing with each in a row. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 300_000;
/** The most that counts between two failures: more is a set clock, a stopped server or a suspended workspace. */
export const LONGEST_GAP_MS = Math.max(...TRIES_AFTER_MS);
/** Time without success until an endpoint is disabled. */
export const DISABLED_AFTER_MS = 3 * 86_400_000;

/** `attempts`: failed tries so far. null: given up. */
export function nextTryInMs(attempts: number): number | null {
  return TRIES_AFTER_MS[attempts - 1] ?? null;
}

/** `failures`: in a row, of any message. */
export function restMs(failures: number): number {
  return Math.min(FIRST_REST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_REST_MS);
}
