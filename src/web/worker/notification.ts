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
    readonly data: { readonly navigate: string };
  };
}

const ICON = '/icon-192.png';
const INBOX = '/';

/** Never throws: what cannot be read still shows that there is something. */
export function notificationOf(text: string, words: Words): Shown {
  const payload = parsed(text);
  const declared = isRecord(payload) ? payload.notification : null;
  if (!isRecord(declared) || typeof declared.title !== 'string') return { title: words.newEvent, options: UNREADABLE };
  const { title, body, navigate, data, tag, lang, dir, silent, timestamp, requireInteraction, image } = declared;
  const actions = actionsOf(declared.actions, words);
  const renotify = actions === undefined ? undefined : true;
  const kept = { tag, lang, dir, silent, timestamp, requireInteraction, image, actions, renotify };
  return {
    title,
    options: {
      ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
      // An event without a description has its title for a text as well.
      body: typeof body === 'string' && body !== title ? body : '',
      icon: ICON,
      data: { ...(isRecord(data) && data), navigate: typeof navigate === 'string' ? navigate : INBOX },
    },
  };
}

/** The server names them in English. */
function actionsOf(declared: unknown, words: Words): unknown {
  if (!Array.isArray(declared)) return declared;
  return declared.map((one) =>
    isRecord(one) ? { ...one, title: words.actions[String(one.action)] ?? one.title } : one,
  );
}

const UNREADABLE = { body: '', icon: ICON, data: { navigate: INBOX } } as const;

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
