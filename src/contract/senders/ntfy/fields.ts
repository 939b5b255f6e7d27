import { TextDecoder } from 'node:util';
import type { JsonObject } from '../../../values/json.ts';
import { Body, type Cutter } from '../bodies.ts';

/**
 * Parses a message's buttons in header or query: JSON, or `view, Open, https://…; http, …`.
 * https://docs.ntfy.sh/publish/#action-buttons
 */
export function actionsIn(field: string, lists: Cutter, most: number): readonly JsonObject[] {
  const text = field.trim();
  const given = text.startsWith('[') ? new Body(`{"actions":${text}}`).object?.actions : inShortForm(text, most);
  return lists.objects('actions', given, most);
}

/** A term with an optional name, and what ends it: a comma, or a semicolon if the action ends as well. */
const TERM = /\s*(?:([-.\w]{1,50})\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,;]*))\s*([,;]|$)/gy;
/** The names of the first terms if they have none. */
const NAMES = ['action', 'label', 'url'];

/** Returns one more than allowed, to detect excess. */
function inShortForm(text: string, most: number): readonly JsonObject[] {
  const actions: Record<string, string>[] = [];
  let action: Record<string, string> = {};
  let place = 0;
  for (const [, name, double, single, bare = '', end] of text.matchAll(TERM)) {
    if (actions.length > most) break;
    if (place === 0) actions.push(action);
    action[name?.toLowerCase() ?? NAMES[place] ?? ''] = double ?? single ?? bare.trim();
    place += 1;
    if (end !== ';') continue;
    action = {};
    place = 0;
  }
  return actions.filter(({ action }) => action !== '');
}

/**
 * Parses ntfy's delays (https://docs.ntfy.sh/publish/#scheduled-delivery): Unix seconds, `30m`, `1h30m`, `3 days`.
 * Takes the documented English forms: `10am`, `tomorrow`, `tomorrow, 10am`, `Monday, 15:30`, `in 2 hours`. UTC, like
 * ntfy's server without a zone. Null: none of these.
 */
export function delayedUntil(text: string, nowMs: number): number | null {
  const given = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (/^\d{1,15}$/.test(given)) return Number(given) * 1_000;
  const inMs = lengthOf(given.replace(/^in /, ''));
  return inMs === null ? dateOf(given, nowMs) : nowMs + inMs;
}

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
/** In words, one alone. */
const WORDED = /^(\d{1,9}) ?(d|days?|h|hours?|m|mins?|minutes?|s|secs?|seconds?)$/;
/** Durations in Go's form, without units below a second. */
const GO = /^(?:(\d{1,9}(?:\.\d{1,9})?)h)?(?:(\d{1,9}(?:\.\d{1,9})?)m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?$/;

function lengthOf(text: string): number | null {
  const [, count, unit = ''] = WORDED.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS_MS[unit.charAt(0)] ?? 0);
  const [whole = '', hours = 0, minutes = 0, seconds = 0] = GO.exec(text) ?? [];
  return whole === '' ? null : Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DATE =
  /^(?:(today|tomorrow|(?:next |on |this )?(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)(?:,? (?:at )?|$))?(?:(\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/;
const DAY_MS = 86_400_000;

/** Parses day, time or both. Past times mean a day or week later. */
function dateOf(text: string, nowMs: number): number | null {
  const [, day, weekday, hour, minute, half] = DATE.exec(text.replace(/^at /, '')) ?? [];
  if (hour === undefined && (day === undefined || day === 'today')) return null;
  const timeMs = hour === undefined ? nowMs % DAY_MS : timeOf(hour, minute, half);
  if (timeMs === null) return null;
  const atMs = Math.floor(nowMs / DAY_MS) * DAY_MS + daysTo(day, weekday, nowMs) * DAY_MS + timeMs;
  if (atMs > nowMs) return atMs;
  return atMs + (weekday === undefined ? DAY_MS : 7 * DAY_MS);
}

function daysTo(day: string | undefined, weekday: string | undefined, nowMs: number): number {
  if (weekday === undefined) return day === 'tomorrow' ? 1 : 0;
  const wanted = WEEKDAYS.findIndex((name) => name.startsWith(weekday));
  return (wanted - new Date(nowMs).getUTCDay() + 7) % 7;
}

/** Rejects a bare number, as in `tomorrow, 10`. */
function timeOf(hour: string, minute: string | undefined, half: string | undefined): number | null {
  if (minute === undefined && half === undefined) return null;
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  const isHour = half === undefined ? hours < 24 : hours >= 1 && hours <= 12;
  if (!isHour || minutes > 59) return null;
  const ofDay = half === undefined ? hours : (hours % 12) + (half === 'pm' ? 12 : 0);
  return ofDay * 3_600_000 + minutes * 60_000;
}

/** An encoded word and the meaningless blanks before another. RFC 2047, sections 2 and 6.2. */
const WORD = /=\?([\w-]+)(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?[\w-]+(?:\*[\w-]*)?\?[bq]\?[^?\s]*\?=))?/gi;

/** Unknown charsets take 10 µs each to look up; a field has room for a thousand. */
const MOST_CHARSETS = 10;

/** Decodes encoded words; keeps unreadable ones. */
export function decodeWords(field: string): string {
  const decoders = new Map<string, TextDecoder | null>();
  return field.replaceAll(WORD, (word, charset: string, encoding: string, text: string) => {
    if (!decoders.has(charset) && decoders.size < MOST_CHARSETS) decoders.set(charset, decoderOf(charset));
    const decoder = decoders.get(charset);
    return decoder ? decoder.decode(encoding.toLowerCase() === 'b' ? base64(text) : quotedPrintable(text)) : word;
  });
}

function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null; // No such charset.
  }
}

function base64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

function quotedPrintable(text: string): Uint8Array {
  const bytes = text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
