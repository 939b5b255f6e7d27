import { namesKey, WORKSPACE_NAMES } from '../messages.ts';
import type { texts } from '../texts/worker.ts';
import { within } from '../within.ts';

/** The worker's texts, in the app's language. */
export type Words = typeof texts;

/** A notification, from Declarative Web Push or another payload. */
export interface Shown {
  readonly title: string;
  readonly options: {
    readonly body: string;
    readonly tag?: string;
    readonly lang?: string;
    readonly dir?: 'auto' | 'ltr' | 'rtl';
    readonly silent?: boolean;
    readonly timestamp?: number;
    readonly requireInteraction?: boolean;
    /** Makes a sound again although it replaces an earlier notification. */
    readonly renotify?: boolean;
    readonly actions?: readonly { readonly action: string; readonly title: string }[];
    readonly image?: string;
    readonly icon: string;
    /** The icon in Android's status bar, outline only. */
    readonly badge: string;
    readonly data: { readonly navigate: string };
  };
}

const ICON = '/icon-192.png';
const BADGE = '/badge.png';
const LEVELS: readonly unknown[] = ['info', 'success', 'warning', 'error'];
const INBOX = '/';

/** Returns a push's channel; null: none, or unreadable. */
export function channelOf(text: string): { readonly workspace: string; readonly channel: string } | null {
  const payload = parsed(text);
  const data = isRecord(payload) && isRecord(payload.notification) ? payload.notification.data : null;
  if (!isRecord(data) || typeof data.workspace !== 'string' || typeof data.channel !== 'string') return null;
  return { workspace: data.workspace, channel: data.channel };
}

/**
 * Returns a push's notification. Never throws: unreadable ones still show something. `name`: of its place, if known.
 */
export function notificationOf(text: string, words: Words, name: string | null = null): Shown {
  const payload = parsed(text);
  const declared = isRecord(payload) ? payload.notification : null;
  if (!isRecord(declared) || typeof declared.title !== 'string') return { title: words.newEvent, options: UNREADABLE };
  const { body, navigate, data, tag, lang, dir, silent, timestamp, requireInteraction, image } = declared;
  const { title, text: own } = ofServer(declared.title, typeof body === 'string' ? body : '', declared, words);
  const actions = actionsOf(declared.actions, words);
  const renotify = actions === undefined ? undefined : true;
  const kept = { tag, lang, dir, silent, timestamp, requireInteraction, image, actions, renotify };
  return {
    title,
    options: {
      ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
      // An event without description has its title as text.
      body: [own === title ? '' : own, placeOf(data, words, name)].filter(Boolean).join('\n'),
      icon: isRecord(data) && LEVELS.includes(data.level) ? `/level-${data.level}.png` : ICON,
      badge: BADGE,
      data: { ...(isRecord(data) && data), navigate: typeof navigate === 'string' ? navigate : INBOX },
    },
  };
}

/** Silences a notification, like a quiet push. */
export function silenced({ title, options }: Shown): Shown {
  const { renotify: _, requireInteraction: __, actions: ___, ...rest } = options;
  return { title, options: { ...rest, silent: true } };
}

/** Translates the server's texts: on several alerts, on alerts' ends, on a device and on rotas. */
function ofServer(title: string, text: string, { data, navigate }: Readonly<Record<string, unknown>>, words: Words) {
  const {
    alert_state: state,
    open_alerts: open,
    quiet,
  }: Readonly<Record<string, unknown>> = isRecord(data) ? data : {};
  const isBundle = open !== undefined;
  const isNotice = quiet === true && state !== undefined && state !== 'open';
  // A quiet test push says that another device of the person shows nothing.
  const isOfDevice = quiet === true && isRecord(data) && data.channel === 'test' && state === undefined;
  // A push about a rota comes from no channel, and leads to the page of rotas.
  const isOnCall = typeof navigate === 'string' && navigate.endsWith('/on-call');
  if (isOnCall) return { title: words.ofRota(title), text: words.ofRota(text) };
  return {
    title: isBundle || isOfDevice ? words.ofServer(title) : title,
    text: isBundle || isNotice || isOfDevice ? words.ofServer(text) : text,
  };
}

/** Translates the server's English button names. */
function actionsOf(declared: unknown, words: Words): unknown {
  if (!Array.isArray(declared)) return declared;
  return declared.map((action) =>
    isRecord(action) ? { ...action, title: words.actions[String(action.action)] ?? action.title } : action,
  );
}

/** Returns an event's place: `Payments · urgent`. */
function placeOf(data: unknown, words: Words, name: string | null): string {
  if (!isRecord(data) || typeof data.channel !== 'string') return '';
  const channel = name ?? data.channel;
  const isUrgent = data.delivery_urgency === 'time_sensitive' && data.quiet !== true;
  return isUrgent ? `${channel} · ${words.urgent}` : channel;
}

const UNREADABLE = { body: '', icon: ICON, badge: BADGE, data: { navigate: INBOX } } as const;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the event id that a notification holds under a name; null: none. */
export function eventIdIn(data: unknown, name: 'event_id' | 'alert_id' | 'receipt' = 'event_id'): string | null {
  const id = typeof data === 'object' && data !== null ? String(Reflect.get(data, name)) : '';
  return /^evt_\w+$/.test(id) ? id : null;
}

interface Place {
  readonly workspace: string;
  readonly channel: string;
}

/**
 * Returns the name of a push's channel, and of its workspace if the person has several, if known here. `read` finds
 * JSON kept at an address; undefined: nothing.
 */
export async function placeName(
  { workspace, channel }: Place,
  read: (address: string) => Promise<unknown>,
): Promise<string | null> {
  const [channels, workspaces] = await Promise.all([read(namesKey(workspace)), read(WORKSPACE_NAMES)]);
  const name = namesIn(channels).get(channel);
  const all = namesIn(workspaces);
  return all.size > 1 ? `${name ?? channel} · ${all.get(workspace) ?? workspace}` : (name ?? null);
}

function namesIn(kept: unknown): ReadonlyMap<string, string> {
  if (typeof kept !== 'object' || kept === null) return new Map();
  return new Map(Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

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
