import { type ProviderName, providerOf } from '../../src/push.ts';
import type { Push } from '../../src/sandbox/journal.ts';

/** The arrivals at the sandbox: how often each device got each event, and whether the copies show as one. */
export class Arrivals {
  readonly #copies = new Map<string, number>();
  /** Pushes that a device would not show in the place of an earlier copy. Must stay empty. */
  readonly strangers: Push[] = [];

  take(push: Push): void {
    const eventId = eventIdOf(push);
    const name = `${eventId} ${push.token}`;
    this.#copies.set(name, (this.#copies.get(name) ?? 0) + 1);
    if (!replacesItsCopies(push)) this.strangers.push(push);
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

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a payload that the app, or a web app's service worker, reads. */
const FIELDS: Readonly<Record<ProviderName, (payload: Fields) => Fields>> = {
  apns: (payload) => payload,
  fcm: ({ data }) => data as Fields,
  webpush: ({ notification }) => (notification as Fields).data as Fields,
};

export function fieldsOf({ endpoint, payload }: Pick<Push, 'endpoint' | 'payload'>): Fields {
  return FIELDS[providerOf(endpoint)](payload);
}

export function eventIdOf(push: Pick<Push, 'endpoint' | 'payload'>): string {
  return String(fieldsOf(push).event_id);
}

/** Whether the device shows it in the place of an earlier copy. On Android the app drops a second one by its event. */
export function replacesItsCopies(push: Push): boolean {
  const eventId = eventIdOf(push);
  switch (providerOf(push.endpoint)) {
    case 'apns':
      return push.headers['apns-collapse-id'] === eventId;
    case 'webpush':
      return (push.payload.notification as Fields).tag === eventId;
    case 'fcm':
      return true;
  }
}
