import type { Push } from '../../src/sandbox/journal.ts';

/** What came in at the sandbox: how often each device got each event, and whether the copies show as one. */
export class Arrivals {
  readonly #copies = new Map<string, number>();
  /** Pushes that a device would not show in the place of an earlier copy. Must stay empty. */
  readonly strangers: Push[] = [];

  take(push: Push): void {
    const eventId = eventIdOf(push);
    const name = `${eventId} ${push.token}`;
    this.#copies.set(name, (this.#copies.get(name) ?? 0) + 1);
    if (push.endpoint !== 'fcm' && push.headers['apns-collapse-id'] !== eventId) this.strangers.push(push);
  }

  copies(eventId: string, token: string): number {
    return this.#copies.get(`${eventId} ${token}`) ?? 0;
  }

  get total(): number {
    return [...this.#copies.values()].reduce((sum, copies) => sum + copies, 0);
  }

  get duplicates(): number {
    return this.total - this.#copies.size;
  }
}

/** APNs: beside `aps`. FCM: in `data`, by which the app drops a second copy. */
export function eventIdOf({ endpoint, payload }: Pick<Push, 'endpoint' | 'payload'>): string {
  const fields = endpoint === 'fcm' ? (payload.data as Record<string, unknown>) : payload;
  return String(fields.event_id);
}
