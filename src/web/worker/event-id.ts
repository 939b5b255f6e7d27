/** Returns the event id that a notification holds under a name; null: none. */
export function eventIdIn(data: unknown, name: 'event_id' | 'alert_id' | 'receipt' = 'event_id'): string | null {
  const id = typeof data === 'object' && data !== null ? String(Reflect.get(data, name)) : '';
  return /^evt_\w+$/.test(id) ? id : null;
}
