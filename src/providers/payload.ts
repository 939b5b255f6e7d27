import { createHash } from 'node:crypto';
import { shownCollapseKey } from '../contract/event-body.ts';
import type { AlertState, Level, Links, PushEvent, Urgency } from '../push.ts';
import { toTimestamp } from '../values/timestamp.ts';

/** The app's keys beside the text, equal on both platforms. */
export interface FlatKeys {
  readonly event_id: string;
  readonly workspace: string;
  readonly channel: string;
  readonly level: Level;
  readonly delivery_urgency: Urgency;
  /** ISO 8601, UTC, milliseconds, offset `+00:00`. */
  readonly received_at: string;
  readonly occurred_at?: string;
  readonly event_type?: string;
  readonly collapse_key?: string;
  readonly url?: string;
  readonly image_url?: string;
}

/** Keys of alerts, and `quiet` and `receipt` of any event. */
export interface AlertKeys {
  /** Public id of the event that opened it. */
  readonly alert_id?: string;
  readonly alert_state?: AlertState;
  /** 0: an event as it was posted. */
  readonly reminder?: number;
  /** In a bundle: the number of open alerts. */
  readonly open_alerts?: number;
  readonly quiet?: true;
  /** The event to report as shown: a reminder's id differs from its event's. */
  readonly receipt?: string;
}

/** Parts to shorten if necessary. `fitted`: something was. */
export interface Content {
  readonly title: string;
  readonly body: string;
  readonly collapseKey: string | null;
  readonly links: Links;
  readonly fitted: boolean;
}

/**
 * Returns all content, sent if it fits. The body is the description, else the title. A sender's only text is the body,
 * below the channel's name. An acknowledged alert's push replaces the notice, so its body begins with the holder. A
 * push that rings only for another person begins with that person.
 */
export function contentOf(event: PushEvent): Content {
  const title = sendable(event.headline ?? event.title);
  const { alert } = event;
  const taken = alert?.state === 'acknowledged' && alert.by !== undefined ? [`${alert.by} has it.`] : [];
  const onCall = event.quiet && alert?.onCall !== undefined ? [`${alert.onCall} is on call.`] : [];
  const text = event.description ?? (event.headline === undefined ? '' : event.title);
  const body = [...taken, ...onCall, ...(text ? [text] : [])].join('\n');
  const collapseKey = event.collapseKey === null ? null : sendable(shownCollapseKey(event.collapseKey));
  return { title, body: body === '' ? title : sendable(body), collapseKey, links: event.links, fitted: false };
}

export function flatKeys(event: PushEvent, { links, collapseKey }: Pick<Content, 'links' | 'collapseKey'>): FlatKeys {
  return {
    event_id: event.alert?.shows?.publicId ?? event.publicId,
    workspace: event.workspace,
    channel: event.channel,
    level: event.level,
    delivery_urgency: event.urgency,
    received_at: toTimestamp(event.alert?.shows?.receivedAtMs ?? event.receivedAtMs),
    ...(event.occurredAtMs !== null && { occurred_at: toTimestamp(event.occurredAtMs) }),
    ...(event.eventType !== null && { event_type: sendable(event.eventType) }),
    ...(collapseKey !== null && { collapse_key: collapseKey }),
    ...(links.url !== undefined && { url: links.url }),
    ...(links.imageUrl !== undefined && { image_url: links.imageUrl }),
  };
}

/** Returns `data` for payloads with objects. */
export function pairs({ data }: Links): { readonly data?: Readonly<Record<string, string>> } {
  return data === undefined ? {} : { data: JSON.parse(data) };
}

export function alertKeys({ alert, quiet, receipt, publicId }: PushEvent): AlertKeys {
  return {
    ...(alert && { alert_id: alert.id, alert_state: alert.state, reminder: alert.reminder }),
    ...(alert?.open !== undefined && { open_alerts: alert.open }),
    ...(quiet && { quiet }),
    ...(receipt && { receipt: publicId }),
  };
}

/** Returns how to show a push; insistent ones ask for acknowledgement. */
export function mannerOf({ alert, quiet }: PushEvent): 'plain' | 'insists' | 'quiet' {
  if (quiet) return 'quiet';
  return alert?.state === 'open' ? 'insists' : 'plain';
}

/** Control characters but newline and tab. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Replaces control characters by spaces, lone surrogates by U+FFFD: invisible, and six bytes of JSON each. */
function sendable(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ');
}

/**
 * Returns the id by which pushes replace each other: an event's copies, or a channel's events with one collapse key.
 * Alerts share an id across channels, bundles within one. Names are hashed: Apple takes 64 bytes at most:
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
 */
export function collapseIdOf({ publicId, workspace, channel, collapseKey, alert }: PushEvent): string {
  const place = [workspace, alert?.channel ?? channel];
  if (alert?.open !== undefined) return hashOf(place);
  return collapseKey === null ? (alert?.id ?? publicId) : hashOf([...place, collapseKey]);
}

function hashOf(names: readonly string[]): string {
  const name = JSON.stringify(names);
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

export interface Fitted<Payload> {
  readonly payload: Payload;
  /** Something had to give way. */
  readonly fitted: boolean;
}

/** Graphemes kept in the body while links can go instead. */
const BODY_FLOOR_GRAPHEMES = 40;

const ELLIPSIS = '…';

/**
 * Builds a payload of at most `limitBytes` of JSON. Shortens in order: the body to `BODY_FLOOR_GRAPHEMES`, the image,
 * the link, the rest of the body, and the collapse key, already in the provider's field. `data` goes last, as a whole,
 * and what it displaced returns. The title always fits: at the API's maximum, some body remains.
 */
export function fit<Payload>(
  content: Content,
  limitBytes: number,
  build: (content: Content) => Payload,
): Fitted<Payload> {
  const isShortEnough = (candidate: Content) => Buffer.byteLength(JSON.stringify(build(candidate))) <= limitBytes;
  if (isShortEnough(content)) return { payload: build(content), fitted: false };

  const cuts = new Cuts(content.body);
  const { data, ...links } = content.links;
  const withData = data === undefined ? null : shortened(content);
  if (withData !== null) return done(withData);
  return done(shortened({ ...content, links }) ?? { ...content, links: {}, collapseKey: null, body: ELLIPSIS });

  function shortened(whole: Content): Content | null {
    const [all, ...fewer] = fewerAndFewer(whole.links);
    for (const left of [all, ...fewer]) {
      const kept = { ...whole, links: left };
      const text = cuts.longest(BODY_FLOOR_GRAPHEMES, fitsIn(kept));
      if (text !== null) return { ...kept, body: text };
    }
    const bare = { ...whole, links: fewer.at(-1) ?? all };
    for (const kept of [bare, { ...bare, collapseKey: null }]) {
      const text = cuts.longest(1, fitsIn(kept)) ?? cuts.longestByCodePoints(fitsIn(kept));
      if (text !== null) return { ...kept, body: text };
    }
    return null;
  }

  function fitsIn(kept: Content): (body: string) => boolean {
    return (body) => isShortEnough({ ...kept, body, fitted: true });
  }

  function done(kept: Content): Fitted<Payload> {
    return { payload: build({ ...kept, fitted: true }), fitted: true };
  }
}

/** Drops the image, then all links, never a part; `data` stays. */
function fewerAndFewer(links: Links): readonly [Links, ...Links[]] {
  const { imageUrl, ...withoutImage } = links;
  const { url, ...bare } = withoutImage;
  return [links, ...(imageUrl === undefined ? [] : [withoutImage]), ...(url === undefined ? [] : [bare])];
}

/** Cuts a text. Finds graphemes once, only when needed. */
class Cuts {
  /**
   * Shared, as grapheme boundaries are equal in all languages. Made for the first long text only: takes 20 ms and 3 MB.
   */
  static #segmenter: Intl.Segmenter | undefined;

  readonly #text: string;
  /** Graphemes' ends, in UTF-16 units. */
  readonly #ends: readonly number[];

  constructor(text: string) {
    this.#text = text;
    Cuts.#segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    this.#ends = Array.from(Cuts.#segmenter.segment(text), ({ index, segment }) => index + segment.length);
  }

  /** Returns the longest fitting cut of at least `min` graphemes; shorter texts count whole. */
  longest(min: number, isShortEnough: (text: string) => boolean): string | null {
    if (isShortEnough(this.#text)) return this.#text;
    return longestPrefix(this.#text, this.#ends.slice(min - 1, -1), isShortEnough);
  }

  /** Cuts within a too long first grapheme. */
  longestByCodePoints(isShortEnough: (text: string) => boolean): string | null {
    const first = this.#text.slice(0, this.#ends[0]);
    const ends: number[] = [];
    for (const codePoint of first) ends.push((ends.at(-1) ?? 0) + codePoint.length);
    return longestPrefix(this.#text, ends, isShortEnough);
  }
}

/** Searches `ends`: longer prefixes cost more. */
function longestPrefix(text: string, ends: readonly number[], isShortEnough: (text: string) => boolean): string | null {
  const cut = (end: number | undefined) => text.slice(0, end).trimEnd() + ELLIPSIS;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isShortEnough(cut(ends[middle]))) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : cut(ends[low - 1]);
}
