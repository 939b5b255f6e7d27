import type { Level, Urgency } from '../../push.ts';
import type { Schema } from '../api/client.ts';
import { given, textOf } from '../components/forms/form.ts';
import { msOf } from '../format/time.ts';
import { instantOf, wallTime, zoneHere } from '../format/wall-clock.ts';

export const SCOPES = ['events:write', 'events:read', 'alerts:write', 'heartbeats:write', 'heartbeats:ping'] as const;

const DAY_MS = 86_400_000;

/** Returns the form's request for a key, without empty fields. */
export function keyTermsOf(form: FormData, nowMs: number) {
  const channels = form.getAll('channel').map(String);
  const days = Number(form.get('life'));
  const burst = String(form.get('burst') ?? '');
  return {
    name: textOf(form, 'name'),
    scopes: SCOPES.filter((scope) => form.getAll('scope').includes(scope)),
    ...given('channels', channels.length > 0 ? channels : null),
    ...given('expires_at', days > 0 ? new Date(nowMs + days * DAY_MS).toISOString() : null),
    ...given('burst_per_minute', burst === '' ? null : Number(burst)),
    ...given('level', String(form.get('level') ?? '') as Level | ''),
    ...given('delivery_urgency', String(form.get('delivery_urgency') ?? '') as Urgency | ''),
  };
}

/** Returns the form's event, without empty fields. */
export function postedEventOf(form: FormData, zone = zoneHere) {
  const text = textIn(form);
  const life = text('expires_in');
  const later = text('send_at');
  return {
    channel: text('channel'),
    title: text('title'),
    ...given('description', text('description')),
    level: text('level') as 'info' | 'success' | 'warning' | 'error',
    delivery_urgency: text('delivery_urgency') as 'standard' | 'time_sensitive',
    ...given('url', text('url')),
    ...given('image_url', text('image_url')),
    ...given('event_type', text('event_type')),
    ...given('collapse_key', text('collapse_key')),
    ...given('expires_in', life === '' ? null : Number(life)),
    ...given('send_at', later === '' ? null : instantOf(later, zone).toISOString()),
  };
}

type Window = Schema<'Maintenance'>;

/** Returns the state at a time, since no change reports that a planned window begins. */
export function stateAt({ from, until }: Pick<Window, 'from' | 'until'>, nowMs: number): Window['state'] {
  if (msOf(from) > nowMs) return 'planned';
  return msOf(until) > nowMs ? 'on' : 'over';
}

/** Returns the form's new window: once, from now or later, or by `cron`. */
export function windowOf(form: FormData, zone = zoneHere) {
  const text = textIn(form);
  const texts = { ...given('only', text('only')), ...given('note', text('note')) };
  if (form.has('cron')) {
    return { cron: text('cron'), timezone: text('timezone'), for: Number(text('for')), ...texts };
  }
  const length = text('for');
  return {
    ...given('from', iso(text('from'), zone)),
    ...(length === '' ? { until: iso(text('until'), zone) } : { for: Number(length) }),
    ...texts,
  };
}

/** Returns only what the form changes, since an active window's start and `only` are fixed. */
export function changesOf(form: FormData, window: Window, zone = zoneHere) {
  const text = textIn(form);
  const isMoved = (['from', 'until'] as const).some(
    (field) => form.has(field) && text(field) !== wallTime(new Date(window[field]), zone),
  );
  const changed = <T extends string | null>(field: 'cron' | 'timezone' | 'only' | 'note', value: T) =>
    form.has(field) && value !== window[field] ? { [field]: value } : {};
  return {
    // Without the end, another start would move it.
    ...(isMoved && { ...given('from', iso(text('from'), zone)), until: iso(text('until'), zone) }),
    ...(form.has('for') && Number(text('for')) !== window.for && { for: Number(text('for')) }),
    ...changed('cron', text('cron')),
    ...changed('timezone', text('timezone')),
    ...changed('only', text('only') || null),
    ...changed('note', text('note') || null),
  };
}

function textIn(form: FormData): (name: string) => string {
  return (name) => textOf(form, name);
}

/** Returns a `datetime-local` value's time; empty without one. */
function iso(local: string, zone: string): string {
  return local === '' ? '' : instantOf(local, zone).toISOString();
}
