import type { Rings } from '../../contract/ringing.ts';

/** A channel; unique in its workspace. */
export interface Ringing {
  readonly workspaceId: number;
  readonly channel: string | number;
}

export interface Ring extends Ringing {
  readonly atMs: number;
}

/** The rings of a workspace's channels. The channel that rang last is last. None is empty. */
interface OfWorkspace {
  readonly channels: Map<Ring['channel'], Ring[]>;
  kept: number;
}

/** Rings remembered, of all channels together: 20 to 50 MB. */
const MOST_KEPT = 200_000;
/** Rings left after forgetting. Many go at once: finding a map's first entry passes deleted ones. */
const LEFT = 180_000;

/** Counts channels' recent rings, in memory, per node. A workspace that needs much pushes out its own rings first. */
export class RingCounter {
  readonly #workspaces = new Map<number, OfWorkspace>();
  #kept = 0;

  isOver({ workspaceId, channel }: Ringing, { at_most: most, per }: Rings, nowMs: number): boolean {
    const earliest = this.#workspaces.get(workspaceId)?.channels.get(channel)?.at(-most);
    // After a clock setback, later times no longer count.
    return earliest !== undefined && earliest.atMs > nowMs - 1000 * per && earliest.atMs <= nowMs;
  }

  /** Counts a ring, and forgets irrelevant ones. */
  count({ workspaceId, channel }: Ringing, { at_most: most }: Rings, nowMs: number): Ring {
    const ring = { workspaceId, channel, atMs: nowMs };
    const rings = this.#take(ring);
    rings.push(ring);
    if (rings.length > most) rings.splice(0, rings.length - most);
    this.#keep(ring, rings);
    if (this.#kept > MOST_KEPT) this.#share();
    return ring;
  }

  giveBack(ring: Ring): void {
    const rings = this.#workspaces.get(ring.workspaceId)?.channels.get(ring.channel) ?? [];
    const place = rings.lastIndexOf(ring);
    if (place < 0) return;
    rings.splice(place, 1);
    this.#add(ring.workspaceId, -1);
    if (rings.length === 0) this.#take(ring);
  }

  /** Leaves each workspace an equal share at most. The unused rest of a share is shared by those that need more. */
  #share(): void {
    const inOrder = [...this.#workspaces].toSorted(([, a], [, b]) => a.kept - b.kept);
    let left = LEFT;
    for (const [nth, [workspaceId, workspace]] of inOrder.entries()) {
      const share = left / (inOrder.length - nth);
      for (const channel of workspace.channels.keys()) {
        if (workspace.kept <= share) break;
        this.#take({ workspaceId, channel });
      }
      left -= workspace.kept;
    }
  }

  #keep({ workspaceId, channel }: Ringing, rings: Ring[]): void {
    const workspace = this.#workspaces.get(workspaceId) ?? { channels: new Map(), kept: 0 };
    this.#workspaces.set(workspaceId, workspace);
    workspace.channels.set(channel, rings);
    this.#add(workspaceId, rings.length);
  }

  #take({ workspaceId, channel }: Ringing): Ring[] {
    const workspace = this.#workspaces.get(workspaceId);
    const rings = workspace?.channels.get(channel) ?? [];
    workspace?.channels.delete(channel);
    this.#add(workspaceId, -rings.length);
    if (workspace?.channels.size === 0) this.#workspaces.delete(workspaceId);
    return rings;
  }

  #add(workspaceId: number, rings: number): void {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) return;
    workspace.kept += rings;
    this.#kept += rings;
  }
}
