import type { Level, Urgency } from '../../../push.ts';
import { given } from '../../components/forms/form.ts';

export const SCOPES = ['events:write', 'events:read', 'alerts:write', 'heartbeats:write', 'heartbeats:ping'] as const;

const DAY_MS = 86_400_000;

/** Returns the form's request for a key, without empty fields. */
export function termsOf(form: FormData, nowMs: number) {
  const channels = form.getAll('channel').map(String);
  const days = Number(form.get('life'));
  const burst = String(form.get('burst') ?? '');
  return {
    name: String(form.get('name') ?? '').trim(),
    scopes: SCOPES.filter((scope) => form.getAll('scope').includes(scope)),
    ...given('channels', channels.length > 0 ? channels : null),
    ...given('expires_at', days > 0 ? new Date(nowMs + days * DAY_MS).toISOString() : null),
    ...given('burst_per_minute', burst === '' ? null : Number(burst)),
    ...given('level', String(form.get('level') ?? '') as Level | ''),
    ...given('delivery_urgency', String(form.get('delivery_urgency') ?? '') as Urgency | ''),
  };
}
