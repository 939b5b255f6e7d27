import type { ArgsOf } from '../calls.ts';
import type { Claims } from './claims.ts';
import type { FanOut, LaneKey, QueueEngine, Retry } from './engine.ts';
import type { EventKey, Page } from './fan-out-pages.ts';
import { nextSources, type Source, type Turns } from './turns.ts';

export interface QueueDeps {
  readonly engine: QueueEngine;
  readonly claims: Claims;
  readonly turns: Turns;
}

/** A page to read. Turns of the same plan read on in it. */
export interface PlannedPage {
  readonly fanOut: FanOut;
  readonly page: Page;
  most: number;
}
export interface PlannedRetries {
  readonly key: EventKey;
  readonly deviceIds: readonly number[];
}
/** A turn's share of planned work: at most `most` targets. */
export interface Slice {
  readonly of: PlannedPage | PlannedRetries;
  readonly most: number;
}

interface Plan extends LaneKey {
  readonly batchSize: number;
  readonly steadyMs: number;
  readonly slices: Slice[];
  readonly pages: Map<number, PlannedPage>;
  /** An upper bound of the targets that the slices have. */
  targets: number;
}

/**
 * Plans the next targets of a claim, so that they are read together. Workspaces take turns of up to a batch of targets.
 * Inside a workspace its events take turns: new ones, partly sent ones, and retries. `held`: workspaces that
 * may not send. They get no turn, and those found are added.
 */
export function planning({ engine, claims, turns }: QueueDeps) {
  function planPage(plan: Plan, fanOut: FanOut, goal: number): void {
    const next = claims.pages.next(fanOut, fanOut.cursor, fanOut.last);
    if (!next) return;
    const most = goal - plan.targets;
    const page = plan.pages.get(fanOut.fanOutId) ?? { fanOut, page: next, most: 0 };
    const left = Math.max(fanOut.left - page.most, 1);
    page.most += most;
    plan.pages.set(fanOut.fanOutId, page);
    plan.slices.push({ of: page, most });
    plan.targets += Math.min(most, left);
    if (left > most) turns.of(plan, fanOut.workspaceId).begun.add(fanOut.fanOutId);
  }

  function planNew(plan: Plan, workspaceId: number, goal: number): void {
    const turn = turns.of(plan, workspaceId);
    const { seenTo } = turn;
    engine.onRollback(() => {
      turn.seenTo = seenTo;
    });
    for (const fanOut of engine.fanOuts(plan, workspaceId, seenTo)) {
      if (plan.targets >= goal) return;
      turn.seenTo = fanOut.eventId;
      planPage(plan, fanOut, goal);
    }
  }

  function planBegun(plan: Plan, workspaceId: number, goal: number): void {
    const { begun } = turns.of(plan, workspaceId);
    for (const fanOutId of firstOf(begun, begun.size)) {
      if (plan.targets >= goal) return;
      begun.delete(fanOutId);
      engine.onRollback(() => begun.add(fanOutId));
      const fanOut = engine.fanOut(plan, workspaceId, fanOutId);
      if (fanOut) planPage(plan, fanOut, goal);
    }
  }

  function planRetries(plan: Plan, workspaceId: number, goal: number): void {
    const { route, lane, steadyMs } = plan;
    const due = engine
      .retries(plan, workspaceId, steadyMs, goal - plan.targets + claims.claimedRetries)
      .filter(({ eventId, deviceId }) => !claims.isClaimedRetry(eventId, deviceId))
      .slice(0, goal - plan.targets);
    for (const [eventId, retries] of Map.groupBy(due, (retry) => retry.eventId)) {
      const deviceIds = retries.map(({ deviceId }) => deviceId);
      claims.holdRetries(eventId, deviceIds);
      engine.onRollback(() => claims.freeRetries(eventId, deviceIds));
      plan.slices.push({ of: { key: { route, lane, workspaceId, eventId }, deviceIds }, most: deviceIds.length });
    }
    plan.targets += due.length;
  }

  const planFrom: Readonly<Record<Source, (plan: Plan, workspaceId: number, goal: number) => void>> = {
    new: planNew,
    begun: planBegun,
    retries: planRetries,
  };

  function planTurn(plan: Plan, workspaceId: number, goal: number): void {
    for (const source of nextSources(turns.of(plan, workspaceId))) {
      if (plan.targets < goal) planFrom[source](plan, workspaceId, goal);
    }
  }

  return (asked: ArgsOf<'claimBatches'>, limit: number, steadyMs: number, held: Set<number>): readonly Slice[] => {
    const plan: Plan = { ...asked, steadyMs, slices: [], pages: new Map(), targets: 0 };
    const ready = turns.ready(asked);
    while (plan.targets < limit) {
      const workspaceId = ready.shift();
      if (workspaceId === undefined) break;
      engine.onRollback(() => ready.wake(workspaceId));
      if (held.has(workspaceId)) continue;
      const isActive = engine.isActive(workspaceId);
      if (isActive === false) held.add(workspaceId);
      if (!isActive) continue;
      const goal = Math.min(plan.targets + plan.batchSize, limit);
      planTurn(plan, workspaceId, goal);
      if (plan.targets >= goal) ready.wake(workspaceId);
      else ready.restUntil(workspaceId, nextRetry(engine, claims, asked, workspaceId, null)?.dueAt ?? null);
    }
    return plan.slices;
  };
}

/** Returns the workspace's first retry that is not claimed. `dueBy` null: due at any time. */
export function nextRetry(
  engine: QueueEngine,
  claims: Claims,
  lane: LaneKey,
  workspaceId: number,
  dueBy: number | null,
): Retry | undefined {
  const first = engine.retries(lane, workspaceId, dueBy, 1 + claims.claimedRetries);
  return first.find(({ eventId, deviceId }) => !claims.isClaimedRetry(eventId, deviceId));
}

/** The first `count` entries of a changing set. */
function* firstOf<T>(set: Set<T>, count: number): Generator<T> {
  for (let left = count; left > 0; left -= 1) {
    const [first] = set;
    if (first === undefined) return;
    yield first;
  }
}
