import { given } from '../../components/forms/form.ts';
import { instantOf, zoneHere } from '../../format/wall-clock.ts';

/** Returns the form's event, without empty fields. */
export function postedEventOf(form: FormData, zone = zoneHere) {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
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
