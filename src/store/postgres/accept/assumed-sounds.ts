import { SILENCED, type SoundedEvent, Sounds } from '../../handlers/sounds.ts';

interface Posted {
  readonly args: SoundedEvent & { readonly workspaceId: number; readonly channel: string };
}

/** Channels whose settings are remembered. */
const MOST_KEPT = 10_000;

/**
 * Decides how loud events are before the database has found their channels and alerts. So it assumes the settings of
 * each channel as it last read them. The database compares: if they changed, it returns them, and nothing was accepted.
 * A node remembers only channels that have such settings.
 */
export class AssumedSounds {
  readonly #sounds = new Sounds();
  readonly #ofChannel = new Map<string, string>();
  /** The database's time when settings were last read, beside the steady clock. */
  #read = { atMs: 0, steadyMs: 0 };

  /** Returns the last three values of `accept_events`. `nowMs`: replaces the database's time. */
  values(events: readonly Posted[], senders: readonly Posted[], nowMs = this.#nowMs()): readonly unknown[] {
    const tables = [SILENCED];
    if (this.#ofChannel.size === 0) return [null, tables, null];
    const assumed = senders.map(({ args }) => this.#assumed(args));
    if (assumed.every((sound) => sound === null)) return [null, tables, null];
    const places = events.map(({ args }) => {
      const sound = this.#assumed(args);
      return sound === null ? null : placeIn(tables, this.#sounds.table(args, sound, nowMs));
    });
    return [assumed, tables, places];
  }

  /** Remembers the settings of a channel as the database has just found them. */
  learn(args: Posted['args'], sound: string | null, atMs: number): void {
    this.#read = { atMs, steadyMs: performance.now() };
    const name = nameOf(args);
    this.#ofChannel.delete(name);
    if (sound === null) return;
    if (this.#ofChannel.size >= MOST_KEPT) this.#ofChannel.clear();
    this.#ofChannel.set(name, sound);
  }

  #assumed(args: Posted['args']): string | null {
    return this.#ofChannel.get(nameOf(args)) ?? null;
  }

  #nowMs(): number {
    return this.#read.atMs + performance.now() - this.#read.steadyMs;
  }
}

function nameOf({ workspaceId, channel }: Posted['args']): string {
  return `${workspaceId} ${channel}`;
}

/** Returns the place of a table, from 1 on. */
function placeIn(tables: string[], table: string): number {
  const place = tables.indexOf(table);
  return place < 0 ? tables.push(table) : place + 1;
}
