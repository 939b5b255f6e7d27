import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Lane, Route } from '../../../push.ts';
import type { Claim, ClaimedEvent } from '../../calls.ts';
import { unmutedFor } from '../../handlers/devices/mutes.ts';
import type { ClaimedPart, FanOutKey } from '../../queue/fan-out-pages.ts';
import { type ClaimedTargets, claimedEvent, inBatches } from '../../queue/packing.ts';
import { ENDINGS_PER_CALL } from '../../queue/sweep.ts';
import { type EventHead, isExpired, WITHDRAWN } from '../../queue/targets.ts';
import { unsentLine } from '../../queue/verdicts.ts';
import type { SyncHandlers } from '../transaction.ts';
import type { OpenCounters } from './counters.ts';
import type { QueueDeps } from './deps.ts';
import type { FanOut } from './fan-outs.ts';
import type { Source } from './round-robin.ts';

interface Round {
  readonly route: Route;
  readonly lane: Lane;
  readonly limit: number;
  readonly batchSize: number;
  readonly now: Moment;
  readonly isCareful?: boolean;
  counters: OpenCounters;
  readonly taken: ClaimedTargets<ClaimedPart>[];
  targets: number;
  readonly finished: string[];
  endings: number;
}

/**
 * Claims what is sent next. Workspaces take turns of up to a batch of targets. Inside a workspace its events take
 * turns: new ones, partly sent ones, and retries.
 */
export function claiming(deps: QueueDeps): SyncHandlers<'claimBatches'>['claimBatches'] {
  const { claims, roundRobin, counters, record, fresh, deferred, headOf, deadLetters, hooks } = deps;

  function finish(round: Round, uuid: Buffer | null): void {
    round.endings += 1;
    if (uuid) round.finished.push(publicIdOf(uuid.toString('hex')));
  }

  function take(round: Round, taken: ClaimedTargets<ClaimedPart>): void {
    round.taken.push(taken);
    round.targets += taken.targets.length;
    hooks.onRollback(() => giveBack(taken.part));
  }

  function giveBack(part: ClaimedPart): void {
    claims.giveBack(part);
    roundRobin.ready(part).wake(part.workspaceId);
    if (part.page) roundRobin.of(part, part.workspaceId).begun.add(part.eventId);
  }

  /** In a careful round, makes a throwing event a dead letter and undoes its work. */
  function runContained(round: Round, key: FanOutKey, work: () => void): void {
    if (!round.isCareful) {
      work();
      return;
    }
    const { taken, finished, targets, counters: outer } = round;
    const [takenBefore, finishedBefore] = [taken.length, finished.length];
    round.counters = counters.open(round.now);
    const attempted = hooks.attempt(() => {
      work();
      round.counters.flush();
    });
    round.counters = outer;
    if ('done' in attempted) return;
    taken.length = takenBefore;
    finished.length = finishedBefore;
    round.targets = targets;
    round.endings += 1;
    deadLetters.add(key, attempted.error, round.now.wallMs);
  }

  /** Claims up to `quota` targets of a fan-out, each part in one batch. Targetless fan-outs end. */
  function claimFanOut(round: Round, fanOut: FanOut, quota: number): void {
    const goal = Math.min(round.targets + quota, round.limit);
    const head = claims.pages.isAllOut(fanOut) ? undefined : headOf(fanOut.eventId);
    const unmuted = head && unmutedFor(head, round.now.wallMs);
    const event = head && !isExpired(head, round.now.steadyMs) ? eventOf(head, round) : null;
    while (event && unmuted && round.targets < goal && round.endings < ENDINGS_PER_CALL) {
      const room = round.batchSize - (round.targets % round.batchSize);
      const page = fresh.claimPage(fanOut, Math.min(room, goal - round.targets), unmuted, (deviceIds) =>
        recordMuted(round, fanOut, deviceIds),
      );
      if (!page) break;
      take(round, { ...page, event });
    }
    // An expired event is not handed out again, even if released.
    const isOver = event ? claims.pages.isIdle(fanOut) : !claims.pages.isOut(fanOut);
    if (isOver) finish(round, fresh.end(fanOut, 0, round.counters));
    else if (!claims.pages.isAllOut(fanOut)) roundRobin.of(round, fanOut.workspaceId).begun.add(fanOut.eventId);
  }

  /** Returns whether there is room for more. */
  function recordMuted(round: Round, fanOut: FanOut, deviceIds: readonly number[]): boolean {
    const lines = deviceIds.map((deviceId) => unsentLine(deviceId, WITHDRAWN.muted));
    const ended = record(fanOut, fanOut.lane, lines, round.counters);
    fresh.advance(fanOut, 0, lines.length);
    if (ended) round.finished.push(publicIdOf(ended.toString('hex')));
    round.endings += lines.length;
    return round.endings < ENDINGS_PER_CALL;
  }

  function claimNew(round: Round, workspaceId: number, goal: number): void {
    const turn = roundRobin.of(round, workspaceId);
    const { seenTo } = turn;
    hooks.onRollback(() => {
      turn.seenTo = seenTo;
    });
    for (const fanOut of fresh.behind(round, workspaceId, seenTo)) {
      if (round.targets >= goal || round.endings >= ENDINGS_PER_CALL) return;
      turn.seenTo = fanOut.eventId;
      runContained(round, fanOut, () => claimFanOut(round, fanOut, goal - round.targets));
    }
  }

  function claimBegun(round: Round, workspaceId: number, goal: number): void {
    const { route, lane } = round;
    const { begun } = roundRobin.of(round, workspaceId);
    for (const eventId of firstOf(begun, begun.size)) {
      if (round.targets >= goal || round.endings >= ENDINGS_PER_CALL) return;
      begun.delete(eventId);
      hooks.onRollback(() => begun.add(eventId));
      const fanOut = fresh.find({ route, lane, workspaceId, eventId });
      if (fanOut) runContained(round, fanOut, () => claimFanOut(round, fanOut, goal - round.targets));
    }
  }

  function claimRetries(round: Round, workspaceId: number, goal: number): void {
    while (round.targets < goal && round.endings < ENDINGS_PER_CALL) {
      const room = round.batchSize - (round.targets % round.batchSize);
      const due = deferred.due(round, workspaceId, round.now.steadyMs, Math.min(room, goal - round.targets));
      if (due.length === 0) return;
      for (const { eventId, deviceIds } of due) {
        const key: FanOutKey = { route: round.route, lane: round.lane, workspaceId, eventId };
        runContained(round, key, () => claimRetriesOf(round, key, deviceIds));
      }
    }
  }

  function claimRetriesOf(round: Round, key: FanOutKey, deviceIds: readonly number[]): void {
    const { eventId, lane } = key;
    const head = headOf(eventId);
    if (!head) {
      deferred.forget(eventId, deviceIds);
      round.endings += 1;
      return;
    }
    const { targets, ended } = deferred.resolve(head, deviceIds, round.now);
    const { channelId } = head;
    if (ended.length > 0) finish(round, record({ ...key, channelId }, lane, ended, round.counters));
    if (targets.length === 0) return;
    const claimed = targets.map(({ deviceId }) => deviceId);
    take(round, {
      part: claims.claimRetries(key, channelId, claimed, round.now.wallMs),
      event: eventOf(head, round),
      targets,
    });
  }

  const claimFrom: Readonly<Record<Source, (round: Round, workspaceId: number, goal: number) => void>> = {
    new: claimNew,
    begun: claimBegun,
    retries: claimRetries,
  };

  /** Returns whether the workspace wanted more. */
  function takeTurn(round: Round, workspaceId: number): boolean {
    const goal = Math.min(round.targets + round.batchSize, round.limit);
    for (const source of roundRobin.sources(roundRobin.of(round, workspaceId)))
      claimFrom[source](round, workspaceId, goal);
    return round.targets >= goal || round.endings >= ENDINGS_PER_CALL;
  }

  /** Returns when more is claimable; null: after an event. */
  function takeTurns(round: Round): number | null {
    const ready = roundRobin.ready(round);
    const held: number[] = [];
    const isFull = () => round.targets >= round.limit || round.endings >= ENDINGS_PER_CALL;
    ready.wakeDue(round.now.steadyMs);
    while (!isFull()) {
      const workspaceId = ready.shift();
      if (workspaceId === undefined) break;
      hooks.onRollback(() => ready.wake(workspaceId));
      const isActive = roundRobin.isActive(workspaceId);
      if (isActive === false) held.push(workspaceId);
      if (!isActive) continue;
      if (takeTurn(round, workspaceId)) ready.wake(workspaceId);
      else ready.restUntil(workspaceId, deferred.nextDue(round, workspaceId) ?? null);
    }
    for (const workspaceId of held) ready.wake(workspaceId);
    return isFull() ? round.now.steadyMs : ready.nextDueMs();
  }

  function handOut({ route, lane }: Round, taken: readonly ClaimedTargets<ClaimedPart>[]): Claim {
    const claim = claims.handOut(route, lane, taken);
    hooks.onRollback(() => claims.drop(claim.claimId));
    return claim;
  }

  return (asked, now) => {
    const counts = counters.open(now);
    const round: Round = { ...asked, now, counters: counts, taken: [], targets: 0, finished: [], endings: 0 };
    const nextDueMs = takeTurns(round);
    counts.flush();
    return {
      claims: inBatches(round.taken, round.batchSize).map((taken) => handOut(round, taken)),
      nextDueInMs: round.targets < round.limit && nextDueMs !== null ? Math.max(0, nextDueMs - now.steadyMs) : null,
      finished: round.finished,
    };
  };
}

function eventOf(head: EventHead, { now }: Round): ClaimedEvent {
  return claimedEvent(head, head.expiresAtSteadyMs - now.steadyMs);
}

/** The first `count` entries of a changing set. */
function* firstOf<T>(set: Set<T>, count: number): Generator<T> {
  for (let left = count; left > 0; left -= 1) {
    const [first] = set;
    if (first === undefined) return;
    yield first;
  }
}
