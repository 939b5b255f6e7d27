import { lruCache } from '../../../values/lru-cache.ts';
import type { Ring } from '../../handlers/ring-counter.ts';
import { SILENCED, type SoundedEvent, Sounds } from '../../handlers/sounds.ts';

interface Posted {
  readonly isCheck: boolean;
  readonly args: SoundedEvent & { readonly channel: string };
}

export interface DecidedSounds {
  /** The last three arguments of `accept_events`. */
  readonly values: readonly unknown[];
  /** Counts no ring for an event that stayed silent. */
  giveBack(event: Posted): void;
}

/** Characters of remembered settings; most channels have some hundred. */
const MOST_KEPT = 10_000_000;

/**
 * Decides how loud events are before the database has found channels and alerts, from settings last read. If they
 * changed, the database returns them and accepts nothing. Remembers only channels with settings.
 */
export class AssumedSounds {
  readonly #sounds = new Sounds();
  readonly #ofChannel = lruCache<string, string>(MOST_KEPT, ({ length }) => length);
  /** The database's time of the last read, beside the steady clock. */
  #read = { atMs: 0, steadyMs: 0 };

  /** Decides for a group. `nowMs`: replaces the database's. */
  decide(events: readonly Posted[], senders: readonly Posted[], nowMs = this.#nowMs()): DecidedSounds {
    const tables = [SILENCED];
    const rings = new Map<Posted, Ring>();
    const giveBack = (event: Posted): void => {
      const ring = rings.get(event);
      if (ring !== undefined) this.#sounds.giveBack(ring);
      rings.delete(event);
    };
    const assumed = this.#ofChannel.size === 0 ? [] : senders.map(({ args }) => this.#assumed(args));
    if (assumed.every((sound) => sound === null)) return { values: [null, tables, null], giveBack };
    const places = events.map((event) => {
      const { args, isCheck } = event;
      const sound = this.#assumed(args);
      if (sound === null) return null;
      const { table, ring } = this.#sounds.table(args, sound, nowMs);
      if (ring !== null) rings.set(event, ring);
      if (isCheck) giveBack(event);
      return placeIn(tables, table);
    });
    return { values: [assumed, tables, places], giveBack };
  }

  /** Remembers a channel's settings as the database just found them. */
  learn(args: Posted['args'], sound: string | null, atMs: number): void {
    this.#read = { atMs, steadyMs: performance.now() };
    const name = nameOf(args);
    if (sound === null) this.#ofChannel.delete(name);
    else this.#ofChannel.set(name, sound);
  }

  #assumed(args: Posted['args']): string | null {
    return this.#ofChannel.get(nameOf(args)) ?? null;
  }

  #nowMs(): number {
    return Math.round(this.#read.atMs + performance.now() - this.#read.steadyMs);
  }
}

function nameOf({ workspaceId, channel }: Posted['args']): string {
  return `${workspaceId} ${channel}`;
}

/** Returns a table's place, from 1. */
function placeIn(tables: string[], table: string): number {
  const place = tables.indexOf(table);
  return place < 0 ? tables.push(table) : place + 1;
}
