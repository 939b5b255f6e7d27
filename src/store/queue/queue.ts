import { publicIdOf } from '../../public-id.ts';
import type { Lane, Route } from '../../push.ts';
import type { Claim } from '../calls.ts';
import type { Db, Handlers, StoreSettings, TransactionHooks } from '../handlers.ts';
import { queueAge } from './age.ts';
import { Claims } from './claims.ts';
import { type EventHead, eventHeads } from './event-heads.ts';
import { type ClaimedPage, fanOuts, isExpired } from './fan-outs.ts';
import { ledger } from './ledger.ts';
import { watchEnds } from './recalls.ts';
import { recorder } from './recorder.ts';
import { resume } from './resume.ts';
import { retries } from './retries.ts';
import { ENDINGS_PER_CALL, expiredLine, sweep } from './sweep.ts';
import { turnsOf } from './turns.ts';

interface Round {
  readonly route: Route;
  readonly lane: Lane;
  readonly pageSize: number;
  readonly steadyMs: number;
  readonly wallMs: number;
  readonly finished: string[];
  endings: number;
}
interface Page extends ClaimedPage {
  readonly head: EventHead;
}

/**
 * The queue, as the relay sees it: pages of targets are claimed, sent, and settled. Workspaces take turns, inside a
 * workspace its events do, and fresh pushes take turns with retries.
 */
export function queue(
  db: Db,
  settings: StoreSettings,
  hooks: TransactionHooks,
): Handlers<'claimBatches' | 'settleBatch' | 'releaseBatch' | 'resumeQueue' | 'expireOverdue' | 'queueAge'> {
  const claims = new Claims();
  const books = ledger(db);
  const records = recorder(db, books);
  const fresh = fanOuts(db, claims, books);
  const deferred = retries(db, claims);
  const headOf = eventHeads(db);
  const turns = turnsOf(db, fresh);
  watchEnds(db, claims, hooks);

  function finish(round: Round, uuid: Buffer | null): void {
    round.endings += 1;
    if (uuid) round.finished.push(publicIdOf(uuid.toString('hex')));
  }

  function claimFresh(round: Round, workspaceId: number): Page | null {
    const turn = turns.of(round, workspaceId);
    for (const fanOut of turns.fanOuts(round, workspaceId, turn.eventId)) {
      if (round.endings >= ENDINGS_PER_CALL) return null;
      const head = headOf(fanOut.eventId);
      const live = head && !isExpired(head, round.steadyMs);
      const page = live ? fresh.claimPage(fanOut, round.pageSize) : null;
      if (page && head) {
        turn.eventId = fanOut.eventId;
        return { ...page, head };
      }
      if (claims.isIdle(fanOut)) finish(round, fresh.end(fanOut, head, round.steadyMs, round.wallMs));
    }
    return null;
  }

  function claimRetries(round: Round, workspaceId: number): Page | null {
    const { route, lane, steadyMs, wallMs } = round;
    while (round.endings < ENDINGS_PER_CALL) {
      const due = deferred.due({ route, lane }, workspaceId, steadyMs, round.pageSize);
      if (!due) return null;
      const head = headOf(due.eventId);
      if (!head) {
        deferred.forget(due.eventId, due.deviceIds);
        round.endings += 1;
        continue;
      }
      const { targets, ended } = isExpired(head, steadyMs)
        ? { targets: [], ended: due.deviceIds.map(expiredLine) }
        : deferred.resolve(head, due.deviceIds);
      const account = { eventId: head.id, workspaceId, channelId: head.channelId, route };
      if (ended.length > 0) finish(round, records.record(account, lane, ended, false, wallMs));
      if (targets.length === 0) continue;
      const key = { route, lane, workspaceId, eventId: head.id };
      const deviceIds = targets.map((target) => target.deviceId);
      return { batch: claims.claimRetries(key, head.channelId, deviceIds), head, targets };
    }
    return null;
  }

  function claimFor(round: Round, workspaceId: number): Page | null {
    const turn = turns.of(round, workspaceId);
    const retriesFirst = turn.retriesNext;
    turn.retriesNext = !retriesFirst;
    return retriesFirst
      ? (claimRetries(round, workspaceId) ?? claimFresh(round, workspaceId))
      : (claimFresh(round, workspaceId) ?? claimRetries(round, workspaceId));
  }

  function nextDue({ route, lane, steadyMs, endings }: Round): number | null {
    if (endings >= ENDINGS_PER_CALL) return steadyMs;
    let earliest: number | null = null;
    for (const workspaceId of turns.workspaces({ route, lane }, 0)) {
      const due = deferred.nextDue({ route, lane }, workspaceId);
      if (due !== undefined && (earliest === null || due < earliest)) earliest = due;
    }
    return earliest;
  }

  return {
    claimBatches({ route, lane, limit, pageSize, steadyMs, wallMs }) {
      const round: Round = { route, lane, pageSize, steadyMs, wallMs, finished: [], endings: 0 };
      const turn = turns.ofLane(round);
      const pages: Claim[] = [];
      let found = true;
      while (found && pages.length < limit) {
        found = false;
        for (const workspaceId of turns.workspaces(round, turn.workspaceId)) {
          if (pages.length >= limit) break;
          const page = claimFor(round, workspaceId);
          if (!page) continue;
          turn.workspaceId = workspaceId;
          hooks.onRollback(() => claims.released(page.batch));
          pages.push(claimOf(round, page));
          found = true;
        }
      }
      return { claims: pages, nextDueSteadyMs: pages.length < limit ? nextDue(round) : null, finished: round.finished };
    },

    settleBatch({ batchId, verdicts, linksLost, steadyMs, wallMs }) {
      const batch = claims.batches.get(batchId);
      if (!batch) return { finished: [] };
      const done = [records.record(batch, batch.lane, verdicts, linksLost, wallMs)];
      const { settledTo, ended, undo } = claims.settled(batch);
      hooks.onRollback(undo);
      if (settledTo !== null) fresh.advance(batch, settledTo, verdicts.length);
      if (ended) done.push(fresh.end(batch, headOf(batch.eventId), steadyMs, wallMs));
      return { finished: done.filter((uuid) => uuid !== null).map((uuid) => publicIdOf(uuid.toString('hex'))) };
    },

    releaseBatch({ batchId }) {
      const batch = claims.batches.get(batchId);
      if (batch) claims.released(batch);
      return null;
    },

    resumeQueue: resume(db, settings, turns),

    expireOverdue: sweep({ claims, turns, records, fresh, deferred, headOf }),

    queueAge: queueAge(turns, deferred, headOf),
  };
}

function claimOf({ route, lane }: Round, { batch, head, targets }: Page): Claim {
  const { workspace, channel, title, description, level, urgency, eventType, receivedAtMs, expiresAtSteadyMs } = head;
  const publicId = publicIdOf(head.uuid.toString('hex'));
  return {
    batchId: batch.batchId,
    route,
    lane,
    event: { publicId, workspace, channel, title, description, level, urgency, eventType, receivedAtMs },
    hadLinks: head.hadLinks === 1,
    expiresAtSteadyMs,
    targets,
    recalls: batch.recalls,
  };
}
