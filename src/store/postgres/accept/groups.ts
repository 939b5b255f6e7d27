import { answerAll, type Waiting } from '../../../values/in-groups.ts';

interface EventGroupsSettings<Asked, Answer> {
  /** Most events per group. */
  readonly most: number;
  readonly workspaceOf: (asked: Asked) => number;
  /** Whether groups of the workspace run one at a time. */
  readonly hasTurns: (workspaceId: number) => boolean;
  /** Returns the answers in order. Throwing rejects the group. `slot`: unique among running groups. */
  readonly carryOut: (
    group: readonly Asked[],
    how: { readonly slot: number; readonly canWait: boolean },
  ) => Promise<readonly Answer[]>;
}

/** A group that takes longer is blocked by a lock: the next does not wait. */
const HELD_UP_MS = 25;
const SLOTS = [0, 1];
/** The most workspaces whose blocked events wait for a lock at once. */
const MOST_WAITING = 2;

/**
 * Groups events: arrivals during a group form the next ones, so slower databases have larger groups. A second group
 * runs beside a blocked one. Events waiting for their workspace's turn do so apart.
 */
export class EventGroups<Asked, Answer> {
  readonly #settings: EventGroupsSettings<Asked, Answer>;
  readonly #next: Waiting<Asked, Answer>[] = [];
  readonly #free = new Set(SLOTS);
  /** Workspaces that take turns and have a running group. */
  readonly #inTurn = new Set<number>();
  readonly #heldUp = new Map<number, Waiting<Asked, Answer>[]>();
  #waitingNow = 0;
  #lastSize = 0;
  #lastBeganMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(settings: EventGroupsSettings<Asked, Answer>) {
    this.#settings = settings;
  }

  /** Answers in the next group with room. */
  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#next.push({ asked, resolve, reject });
      this.#work();
    });
  }

  /** Answers a request in its workspace's own group, which waits for the lock. */
  wait(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const workspaceId = this.#settings.workspaceOf(asked);
      const before = this.#heldUp.get(workspaceId) ?? [];
      this.#heldUp.set(workspaceId, before);
      before.push({ asked, resolve, reject });
      this.#workHeldUp();
    });
  }

  #work(): void {
    for (const slot of SLOTS) {
      if (!this.#free.has(slot) || this.#next.length === 0) continue;
      const heldForMs = performance.now() - this.#lastBeganMs;
      if (this.#free.size < SLOTS.length && heldForMs < HELD_UP_MS) {
        this.#workAfter(HELD_UP_MS - heldForMs);
        return;
      }
      const group = this.#nextGroup();
      if (group.length === 0) return;
      void this.#carryOut(group, slot);
    }
  }

  #workAfter(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#work();
    }, Math.ceil(ms)).unref();
  }

  async #carryOut(group: readonly Waiting<Asked, Answer>[], slot: number): Promise<void> {
    const { workspaceOf, hasTurns } = this.#settings;
    const turns = new Set(group.map(({ asked }) => workspaceOf(asked)).filter(hasTurns));
    for (const workspaceId of turns) this.#inTurn.add(workspaceId);
    this.#free.delete(slot);
    this.#lastBeganMs = performance.now();
    await this.#answer(group, { slot, canWait: false });
    this.#free.add(slot);
    for (const workspaceId of turns) this.#inTurn.delete(workspaceId);
    this.#work();
  }

  /**
   * Returns the mean of the queue and the previous group, so two halves alternate. Otherwise clients that post after
   * each answer form one group, and the database idles.
   */
  #nextGroup(): Waiting<Asked, Answer>[] {
    const { most } = this.#settings;
    const size = Math.min(most, Math.ceil((this.#next.length + this.#lastSize) / 2));
    const group = this.#inTurn.size === 0 ? this.#next.splice(0, size) : this.#takeOutOfTurn(size);
    this.#lastSize = group.length;
    return group;
  }

  /** Takes events of workspaces without a running group. */
  #takeOutOfTurn(size: number): Waiting<Asked, Answer>[] {
    const { workspaceOf } = this.#settings;
    const group: Waiting<Asked, Answer>[] = [];
    const left: Waiting<Asked, Answer>[] = [];
    for (const waiting of this.#next) {
      if (group.length < size && !this.#inTurn.has(workspaceOf(waiting.asked))) group.push(waiting);
      else left.push(waiting);
    }
    this.#next.splice(0, this.#next.length, ...left);
    return group;
  }

  #workHeldUp(): void {
    for (const [workspaceId, waiting] of this.#heldUp) {
      if (this.#waitingNow === MOST_WAITING) return;
      this.#heldUp.delete(workspaceId);
      this.#waitingNow += 1;
      void this.#answer(waiting, { slot: 0, canWait: true }).then(() => {
        this.#waitingNow -= 1;
        this.#workHeldUp();
      });
    }
  }

  #answer(
    group: readonly Waiting<Asked, Answer>[],
    how: { readonly slot: number; readonly canWait: boolean },
  ): Promise<void> {
    return answerAll(group, (asked) => this.#settings.carryOut(asked, how));
  }
}
