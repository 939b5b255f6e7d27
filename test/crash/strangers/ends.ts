import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { answered } from './client.ts';
import { post } from './post.ts';
import type { World } from './world.ts';

/** A request that is being written at that very moment cannot be called back. */
const WRITTEN_MS = 250;
const POST_EVERY_MS = 50;
const PHONES = 2;

/** The ends during faults: of devices, an event and a key. None may get anything after the answer to its end. */
export class Ends {
  readonly #world: World;
  /** When each was answered: by a device's token, and by an event's public id. */
  readonly #devices = new Map<string, number>();
  readonly #events = new Map<string, number>();
  /** Posts that were begun after the end of their key was answered, and taken. */
  #takenLate = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether it was posted to be cancelled. */
  isCancelled(publicId: string): boolean {
    return this.#events.has(publicId);
  }

  /** Before a fault: makes what is to be ended during it, and answers how. The key is in use until `signal`. */
  async prepare(signal: AbortSignal): Promise<() => Promise<void>> {
    const { team, addPhone } = this.#world;
    const phones: { readonly id: string; readonly token: string }[] = [];
    for (let n = 0; n < PHONES; n += 1) phones.push(await answered('a new phone', addPhone));
    const key = await answered('a new key', () => team.issueKey());
    let revokedAtMs = Number.POSITIVE_INFINITY;
    void this.#use(key.text, signal, (startMs) => {
      if (startMs > revokedAtMs) this.#takenLate += 1;
    });
    return async () => {
      await Promise.all([
        ...phones.map(async ({ id, token }) => {
          await answered('a removal', () => team.store.removeDevice({ id }));
          this.#devices.set(token, performance.now());
        }),
        answered('a revocation', () => team.store.revokeKey({ id: key.id })).then(() => {
          revokedAtMs = performance.now();
        }),
        this.#cancel(),
      ]);
    };
  }

  /** In words. */
  broken(): readonly string[] {
    const { pushes } = this.#world.provider;
    const late = (ends: ReadonlyMap<string, number>, by: 'token' | 'eventId') =>
      pushes.filter((push) => push.atMs > (ends.get(push[by]) ?? Number.POSITIVE_INFINITY) + WRITTEN_MS).length;
    const [ofDevices, ofEvents] = [late(this.#devices, 'token'), late(this.#events, 'eventId')];
    return [
      ...(ofDevices > 0 ? [`${ofDevices} pushes after an answered removal`] : []),
      ...(ofEvents > 0 ? [`${ofEvents} pushes after an answered cancellation`] : []),
      ...(this.#takenLate > 0 ? [`${this.#takenLate} posts taken after an answered revocation`] : []),
    ];
  }

  /** An event to the crowd, in the middle of its way. */
  async #cancel(): Promise<void> {
    const { team, balancer } = this.#world;
    let publicId: string | null = null;
    await until('an event for the crowd is taken', async () => {
      publicId = await post(balancer.url, team.key, 'crowd');
      return publicId !== null;
    });
    const event = String(publicId);
    this.#events.set(event, Number.POSITIVE_INFINITY);
    await answered('a cancellation', () => team.store.cancelEvent({ publicId: event }));
    this.#events.set(event, performance.now());
  }

  async #use(key: string, signal: AbortSignal, onTaken: (startMs: number) => void): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now();
      if ((await post(this.#world.balancer.url, key)) !== null) onTaken(startMs);
      await pause(POST_EVERY_MS);
    }
  }
}
