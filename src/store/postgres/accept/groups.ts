import { answerAll, type Waiting } from '../in-groups.ts';

export interface EventGroupsSettings<Asked, Answer> {
  /** In a group. */
  readonly most: number;
  readonly workspaceOf: (asked: Asked) => number;
  /** Whether groups with events of the workspace go one after the other. */
  readonly takesTurns: (workspaceId: number) => boolean;
  /** Answers each of a group, in their order; where it throws, all have that. `slot`: no two with the same are under way. */
  readonly carryOut: (
    group: readonly Asked[],
    how: { readonly slot: number; readonly canWait: boolean },
  ) => Promise<readonly Answer[]>;
}

/** A group that takes longer is held up by a lock: the next one need not wait for it. */
const HELD_UP_MS = 25;
const SLOTS = [0, 1];
/** Workspaces whose events wait for their turn at a time. */
const MOST_WAITING = 2;

/**
 * Has events accepted in groups: what comes while one is under way is for the next ones, so the slower the database, the
 * larger they are. One that is held up there holds up no other: a second one goes beside it, and what waits for the turn
 * of its workspace does so apart from all others.
 */
export class EventGroups<Asked, Answer> {
  readonly #settings: EventGroupsSettings<Asked, Answer>;
  readonly #next: Waiting<Asked, Answer>[] = [];
  readonly #free = new Set(SLOTS);
  /** Workspaces that take turns, of groups under way. */
  readonly #inTurn = new Set<number>();
  readonly #heldUp = new Map<number, Waiting<Asked, Answer>[]>();
  #waitingNow = 0;
  #lastSize = 0;
  #lastBeganMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(settings: EventGroupsSettings<Asked, Answer>) {
    this.#settings = settings;
  }

  /** In the next group that there is room in. */
  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#next.push({ asked, resolve, reject });
      this.#work();
    });
  }

  /** With others of its workspace alone, and they wait for the lock that holds them up. */
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
    const { workspaceOf, takesTurns } = this.#settings;
    const turns = new Set(group.map(({ asked }) => workspaceOf(asked)).filter(takesTurns));
    for (const workspaceId of turns) this.#inTurn.add(workspaceId);
    this.#free.delete(slot);
    this.#lastBeganMs = performance.now();
    await this.#answer(group, { slot, canWait: false });
    this.#free.add(slot);
    for (const workspaceId of turns) this.#inTurn.delete(workspaceId);
    this.#work();
  }

  /**
   * As many as the mean of what waits and of the group before: two halves take turns. Clients that post again once they are
   * answered would else all come in one group, and the database would be idle while they are answered.
   */
  #nextGroup(): Waiting<Asked, Answer>[] {
    const { most } = this.#settings;
    const size = Math.min(most, Math.ceil((this.#next.length + this.#lastSize) / 2));
    const group = this.#inTurn.size === 0 ? this.#next.splice(0, size) : this.#takeOutOfTurn(size);
    this.#lastSize = group.length;
    return group;
  }

  /** Takes the events of workspaces that have no group under way. */
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
