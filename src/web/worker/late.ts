import { within } from '../within.ts';
import { eventIdIn } from './event-id.ts';

/** Devices off for a night get everything missed at once. */
const LATE_MS = 15 * 60_000;
/** The push waits for this answer. */
const ANSWER_MS = 1_000;

/**
 * Tells whether a push makes no sound: its event was accepted long ago and belongs to no open alert. Only such a push
 * costs a request, since the alert may have ended and this device's clock may be wrong. Without an answer, the push and
 * the clock decide.
 */
export async function isOldNews(data: object, ask: typeof fetch, nowMs = Date.now()): Promise<boolean> {
  const { received_at: receivedAt, alert_state: state, open_alerts: open } = data as Readonly<Record<string, unknown>>;
  const acceptedMs = Date.parse(String(receivedAt));
  // A bundle's named alert may have ended while others are open.
  if (state === 'open' && open !== undefined) return false;
  if (!(nowMs - acceptedMs > LATE_MS)) return false;
  const answer = await within(
    ANSWER_MS,
    askAbout(data, ask).catch(() => null),
  );
  if (answer && answer.atMs - acceptedMs <= LATE_MS) return false;
  return (answer?.state ?? state) !== 'open';
}

interface Told {
  /** The server's time; NaN: not sent. */
  readonly atMs: number;
  /** null: no alert; undefined: signed out, no answer. */
  readonly state: string | null | undefined;
}

async function askAbout(data: object, ask: typeof fetch): Promise<Told> {
  const id = eventIdIn(data, 'alert_id') ?? eventIdIn(data);
  const answer = await ask(`/api/v1/events/${id}`, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) });
  const atMs = Date.parse(answer.headers.get('Date') ?? '');
  if (!answer.ok) return { atMs, state: undefined };
  const { alert } = (await answer.json()) as { readonly alert: { readonly state: string } | null };
  return { atMs, state: alert?.state ?? null };
}
