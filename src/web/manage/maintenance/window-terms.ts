import type { Schema } from '../../api/client.ts';
import { given } from '../../components/forms/form.ts';
import { msOf } from '../../format/time.ts';
import { instantOf, wallTime, zoneHere } from '../../format/wall-clock.ts';

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
  return (name) => String(form.get(name) ?? '').trim();
}

/** Returns a `datetime-local` value's time; empty without one. */
function iso(local: string, zone: string): string {
  return local === '' ? '' : instantOf(local, zone).toISOString();
}
