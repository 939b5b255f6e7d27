import type { texts } from '../texts/worker.ts';

/** What the worker says itself, in the language of the app. */
export type Words = typeof texts;

/** What a push shows: of a payload that is a Declarative Web Push message, or of anything else. */
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
    /** Heard again although it takes an earlier one's place. */
    readonly renotify?: boolean;
    readonly actions?: readonly { readonly action: string; readonly title: string }[];
    readonly image?: string;
    readonly icon: string;
    /** In the status bar of Android, which shows its outline alone. */
    readonly badge: string;
    readonly data: { readonly navigate: string };
  };
}

const ICON = '/icon-192.png';
const BADGE = '/badge.png';
const LEVELS: readonly unknown[] = ['info', 'success', 'warning', 'error'];
const INBOX = '/';

/** The channel that a push names; null: none that can be read. */
export function channelOf(text: string): { readonly workspace: string; readonly channel: string } | null {
  const payload = parsed(text);
  const data = isRecord(payload) && isRecord(payload.notification) ? payload.notification.data : null;
  if (!isRecord(data) || typeof data.workspace !== 'string' || typeof data.channel !== 'string') return null;
  return { workspace: data.workspace, channel: data.channel };
}

/** Never throws: what cannot be read still shows that there is something. `name`: of its place, if that is known. */
export function notificationOf(text: string, words: Words, name: string | null = null): Shown {
  const payload = parsed(text);
  const declared = isRecord(payload) ? payload.notification : null;
  if (!isRecord(declared) || typeof declared.title !== 'string') return { title: words.newEvent, options: UNREADABLE };
  const { body, navigate, data, tag, lang, dir, silent, timestamp, requireInteraction, image } = declared;
  const { title, text: own } = ofServer(declared.title, typeof body === 'string' ? body : '', data, words);
  const actions = actionsOf(declared.actions, words);
  const renotify = actions === undefined ? undefined : true;
  const kept = { tag, lang, dir, silent, timestamp, requireInteraction, image, actions, renotify };
  return {
    title,
    options: {
      ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
      // An event without a description has its title for a text as well.
      body: [own === title ? '' : own, placeOf(data, words, name)].filter(Boolean).join('\n'),
      icon: isRecord(data) && LEVELS.includes(data.level) ? `/level-${data.level}.png` : ICON,
      badge: BADGE,
      data: { ...(isRecord(data) && data), navigate: typeof navigate === 'string' ? navigate : INBOX },
    },
  };
}

/** The same without a sound, as a quiet push is shown. */
export function silenced({ title, options }: Shown): Shown {
  const { renotify: _, requireInteraction: __, actions: ___, ...rest } = options;
  return { title, options: { ...rest, silent: true } };
}

/** A reminder of several alerts has its title of the server, and what became of an alert its text. */
function ofServer(title: string, text: string, data: unknown, words: Words) {
  const {
    alert_state: state,
    open_alerts: open,
    quiet,
  }: Readonly<Record<string, unknown>> = isRecord(data) ? data : {};
  const isBundle = open !== undefined;
  const isNotice = quiet === true && state !== undefined && state !== 'open';
  return {
    title: isBundle ? words.ofServer(title) : title,
    text: isBundle || isNotice ? words.ofServer(text) : text,
  };
}

/** The server names them in English. */
function actionsOf(declared: unknown, words: Words): unknown {
  if (!Array.isArray(declared)) return declared;
  return declared.map((one) =>
    isRecord(one) ? { ...one, title: words.actions[String(one.action)] ?? one.title } : one,
  );
}

/** `Payments · urgent`: of what the event is. */
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
