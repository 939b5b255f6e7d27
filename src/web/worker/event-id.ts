/** Returns the id of an event that a notification carries under a name; null: there is none. */
export function eventIdIn(data: unknown, name: 'event_id' | 'alert_id' | 'receipt' = 'event_id'): string | null {
  const id = typeof data === 'object' && data !== null ? String(Reflect.get(data, name)) : '';
  return /^evt_\w+$/.test(id) ? id : null;
}
