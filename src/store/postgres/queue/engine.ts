import type { Answered, Asked, LaneKey, QueueEngine } from '../../queue/engine.ts';
import { isForeign } from './dead-letters.ts';
import { askOfQueue, type QueueDeps } from './deps.ts';
import type { LeasedFanOut } from './leased-work.ts';
import type { Leasing } from './leasing.ts';
import { headsOf, type ReadHead, type ReadTarget, type ReadWork, targetsOf } from './reading.ts';
import type { Recorder } from './recording.ts';
import type { Undoing } from './undoing.ts';

const READ = 'SELECT heads, targets, lost FROM read_work($1, $2, $3, $4)';

const FORGET = `
  DELETE FROM delivery WHERE event_id = $1 AND device_id = ANY ($2) AND state = 'pending' AND owner = $3`;

const TARGETS_TOGETHER = 1_000;

export interface EngineParts extends Pick<QueueEngine, 'addDeadLetter'> {
  readonly leasing: Leasing;
  /** Returns UUIDs, in hex, of events without pending pushes. */
  readonly record: Recorder['record'];
  readonly undoing: Undoing;
}

/** The queue's primitives over what this node has leased. */
export function engineOver(deps: QueueDeps, { leasing, undoing, record, addDeadLetter }: EngineParts): QueueEngine {
  const { leased } = deps;

  async function read(asked: readonly Asked[]) {
    const parts = asked.map((work, place) => ({ place, ...partOf(work) }));
    const { wallMs = null, steadyMs = null } = deps.now() ?? {};
    const { rows } = await askOfQueue(deps, READ, [deps.node, JSON.stringify(parts), wallMs, steadyMs]);
    const [found] = rows as readonly [ReadWork];
    const heads = headsOf(found);
    for (const { workspaceId, isHeld } of heads) leased.held[isHeld ? 'add' : 'delete'](workspaceId);
    if (heads[0]) leasing.noteTime(heads[0].steadyMs);
    return { heads, targets: targetsOf(found), lost: found.lost };
  }

  function isOwned(asked: Asked): boolean {
    if ('key' in asked) return asked.deviceIds.every((deviceId) => leased.retry(asked.key.eventId, deviceId));
    return claimable(asked.fanOut, asked.fanOut.workspaceId, asked.fanOut.fanOutId) !== undefined;
  }

  function claimable(lane: LaneKey, workspaceId: number, fanOutId: number): LeasedFanOut | undefined {
    const fanOut = leased.fanOut(lane, workspaceId, fanOutId);
    return fanOut?.isDead ? undefined : fanOut;
  }

  function answer(asked: Asked, head: ReadHead | undefined, rows: readonly ReadTarget[]): Answered {
    const about = {
      head,
      // It was let go meanwhile (letting-go.ts), or lost.
      ...(!isOwned(asked) && { isGone: true as const }),
      ...(head?.isHeld && { isHeld: true as const }),
    };
    return 'fanOut' in asked ? { ...about, rows } : { ...about, retries: rows };
  }

  /** Forgets a page's fan-out, which is not this node's. */
  function forgetPage(asked: Asked | undefined): void {
    if (!asked || 'key' in asked || !isOwned(asked)) return;
    deps.claims.pages.forget(asked.fanOut);
    leased.removeFanOut(asked.fanOut as LeasedFanOut);
  }

  /** Forgets retries that are not this node's, or whose event lost its rows. */
  function forgetLost(asked: Asked, head: ReadHead | undefined, rows: readonly ReadTarget[]): void {
    if (!('key' in asked) || !head || head.isHeld) return;
    const found = new Set(rows.map(({ deviceId }) => deviceId));
    for (const deviceId of asked.deviceIds) if (!found.has(deviceId)) leased.removeRetry(head.id, deviceId);
  }

  return {
    workspaces: (lane) => leased.workspaces(lane),
    isActive: () => true,
    fanOuts: () => [],
    fanOut: claimable,
    // Only due ones are leased.
    retries: (lane, workspaceId, _, most) => leased.retries(lane, workspaceId, null, most),

    async targetsOf(asked) {
      const { heads, targets, lost } = await read(asked);
      for (const place of lost) forgetPage(asked[place]);
      const headsById = new Map(heads.map((head) => [head.id, head]));
      const targetsOf = Map.groupBy(targets, ({ place }) => place);
      return asked.map((work, place) => {
        const head = headsById.get(eventOf(work));
        const rows = targetsOf.get(place) ?? [];
        const answered = answer(work, head, rows);
        forgetLost(work, head, rows);
        return answered;
      });
    },
    targetsTogether: TARGETS_TOGETHER,
    partsTogether: Number.POSITIVE_INFINITY,

    async record(records) {
      return { finished: await record(records), rows: 0 };
    },

    async forget(eventId, deviceIds) {
      await askOfQueue(deps, FORGET, [eventId, deviceIds, deps.node]);
      for (const deviceId of deviceIds) leased.removeRetry(eventId, deviceId);
    },

    addDeadLetter,

    async attempt(part) {
      const mark = undoing.mark();
      try {
        return { done: await part() };
      } catch (error) {
        if (isForeign(error)) throw error;
        undoing.undo(mark);
        return { error };
      }
    },
    onRollback: (undo) => undoing.add(undo),
  };
}

function eventOf(asked: Asked): number {
  return 'fanOut' in asked ? asked.fanOut.eventId : asked.key.eventId;
}

function partOf(asked: Asked): object {
  if ('key' in asked) return { event_id: asked.key.eventId, route: asked.key.route, device_ids: asked.deviceIds };
  const { fanOut, page, most } = asked;
  const { eventId: event_id, channelId: channel_id, route } = fanOut;
  const { start } = fanOut as LeasedFanOut;
  return { event_id, channel_id, route, start, from_number: page.from, to_number: page.to, most };
}
