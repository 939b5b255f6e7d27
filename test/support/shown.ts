import { providerOf } from '../../src/push.ts';
import type { Push } from '../../src/sandbox/journal.ts';

/** The notification that a device makes of a push. */
export interface Shown {
  readonly token: string;
  readonly atMs: number;
  readonly text: string;
  /** The tag by which it replaces others. */
  readonly place: string;
  readonly channel: string;
  /** The state of its alert. */
  readonly state: string | undefined;
  readonly reminder: number;
  /** How many alerts it says are open; undefined: it is about one. */
  readonly open: number | undefined;
  readonly isQuiet: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export function shownBy(push: Push): Shown {
  const { fields, text, place } = partsOf(push);
  return {
    token: push.token,
    atMs: push.receivedAtMs,
    text: String(text),
    place: String(place),
    channel: String(fields.channel),
    state: fields.alert_state as string | undefined,
    reminder: Number(fields.reminder ?? 0),
    open: fields.open_alerts === undefined ? undefined : Number(fields.open_alerts),
    isQuiet: String(fields.quiet) === 'true',
  };
}

function partsOf({ endpoint, payload, headers }: Push): { fields: Fields; text: unknown; place: unknown } {
  switch (providerOf(endpoint)) {
    case 'apns': {
      const { alert } = payload.aps as { alert: Fields };
      return { fields: payload, text: alert.body ?? alert.title, place: headers['apns-collapse-id'] };
    }
    case 'fcm': {
      const data = payload.data as Fields;
      return { fields: data, text: data.body ?? data.title, place: data.collapse_id };
    }
    case 'webpush': {
      const { data, body, title, tag } = payload.notification as Fields;
      return { fields: data as Fields, text: body ?? title, place: tag };
    }
  }
}
