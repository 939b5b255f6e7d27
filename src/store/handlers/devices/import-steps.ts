import type { NewDevice } from '../../calls.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import { IS_WORKSPACE_THERE } from '../people/vouchers.ts';
import type { StoredMute } from './mutes.ts';
import { type Registration, registrations } from './registration.ts';

export interface ImportRow {
  readonly id: number;
  readonly workspace_id: number;
  readonly user_id: number;
  readonly staged: number;
  readonly wrong: number;
  /** A JSON array of `Mistake`. */
  readonly mistakes: string;
  readonly imported: number;
  readonly updated: number;
}
/** A line's device as it is registered, and its channels. */
export interface StagedDevice extends Omit<NewDevice, 'subscribe'> {
  readonly channelIds: readonly number[];
  /** Mutes of these channels, at most one for each. */
  readonly mutes?: readonly (StoredMute & { readonly channelId: number })[];
  /** Its device is registered, and counted, with some of its channels. */
  readonly isBegun?: true;
}
export interface DeviceMute extends StoredMute {
  readonly deviceId: number;
}
export interface NewLine {
  /** Its number in the file. */
  readonly line: number;
  readonly device: StagedDevice;
}
export interface StagedLine extends NewLine {
  /** The place that its device will have among those that are registered, near the devices of neighbouring lines. */
  readonly place: string;
}

/** The lines of imports, from their staging until they are registered. */
export interface StagedLines {
  /** `staged`: how many lines the import has already. */
  add(importId: number, staged: number, lines: readonly NewLine[]): Awaitable<void>;
  /** Returns the next `limit` lines by their places. Lines with the same token are in the order of the file. */
  next(importId: number, limit: number): Awaitable<readonly StagedLine[]>;
  /** Replaces a line by what is left of it. */
  replace(importId: number, line: StagedLine): Awaitable<void>;
  /** Removes this line and all before it. */
  removeUpTo(importId: number, last: StagedLine): Awaitable<void>;
  /** Removes up to `limit` lines, and returns how many. Fewer than `limit`: nothing of the import is left. */
  remove(importId: number, limit: number): Awaitable<number>;
}

export type NewRegistration = Omit<Registration, 'channelIds'>;

/** The parts of an import that each engine carries out in its own way. */
export interface ImportDeps {
  readonly staged: StagedLines;
  /** How long a step may take: control changes wait for its end. */
  readonly stepMs: number;
  /** Returns the places of devices whose address another person has, or which start over: much may follow them. */
  changedAmong(devices: readonly NewRegistration[]): Awaitable<readonly number[]>;
  /**
   * Registers devices whose address is new, only the first of several with the same address. Returns their ids by their
   * places; without any, each is registered by itself.
   */
  registerNew(devices: readonly NewRegistration[]): Awaitable<ReadonlyMap<number, number>>;
  /** Calls `Subscriptions.add` for each of the devices. */
  subscribeAll(deviceIds: readonly number[], channelId: number): Awaitable<void>;
  /** Calls `Subscriptions.mute` for each of the devices. */
  muteAll(mutes: readonly DeviceMute[], channelId: number): Awaitable<void>;
}

/** Rows of a line: its own, and its device. */
const ROWS_OF_LINE = 2;
/** Over PostgreSQL: the subscription, the number of subscribers, and the channel, which numbers its subscriptions. */
const ROWS_OF_CHANNEL = 3;
/** Rows of a line with a single channel. Most lines are such. */
const ROWS_OF_MOST_LINES = ROWS_OF_LINE + ROWS_OF_CHANNEL;
/** Subscriptions of a known device that are renewed with its line. */
const RENEWED_AT_ONCE = 8;
/** Rows of a device that changes its owner or starts over: the subscriptions that follow at once, and a job. */
const ROWS_OF_CHANGED = 52;
/** A line with more channels is registered in parts. */
const MOST_CHANNELS = 100;

/**
 * Registers devices of the next lines of a committed import: up to `limit` rows with their channels, but at least one
 * line. Takes fewer lines if they take long.
 */
export function importSteps(
  sql: Sql,
  { staged, stepMs, changedAmong, registerNew, subscribeAll, muteAll }: ImportDeps,
  elapsedMs: () => number = () => performance.now(),
) {
  const isMember = sql.value<{ workspaceId: number; userId: number }, 1>(
    `SELECT 1 FROM member WHERE workspace_id = :workspaceId AND user_id = :userId AND ${IS_WORKSPACE_THERE}`,
  );
  const count = sql.run<{ id: number; imported: number; updated: number; wallMs: number }>(`
    UPDATE import
    SET imported = imported + CAST(:imported AS BIGINT), updated = updated + CAST(:updated AS BIGINT), touched_at = :wallMs
    WHERE id = :id
  `);
  const drop = sql.run<{ id: number }>(`UPDATE import SET state = 'dropped' WHERE id = :id`);
  const { register } = registrations(sql);

  async function subscribe(subscribers: readonly Subscribers[]): Promise<void> {
    const wanted = subscribers.flatMap(({ deviceId, channelIds }) =>
      channelIds.map((channelId) => ({ deviceId, channelId })),
    );
    for (const [channelId, devices] of Map.groupBy(wanted, (subscription) => subscription.channelId)) {
      const deviceIds = devices.map(({ deviceId }) => deviceId);
      await subscribeAll(deviceIds, channelId);
    }
    const muted = subscribers.flatMap(({ deviceId, mutes }) => mutes.map((mute) => ({ ...mute, deviceId })));
    for (const [channelId, mutes] of Map.groupBy(muted, (deviceMute) => deviceMute.channelId))
      await muteAll(mutes, channelId);
  }

  /** Registers a line's device on the first of its channels, and leaves the line with the others. */
  async function registerPart(
    importId: number,
    userId: number,
    { device: line, ...place }: StagedLine,
    wallMs: number,
  ) {
    const { channelIds, mutes = [], isBegun, ...device } = line;
    const { id: deviceId, created } = await register({ userId, device, wallMs, channelIds: [] }, RENEWED_AT_ONCE);
    const now = new Set(channelIds.slice(0, MOST_CHANNELS));
    await subscribe([{ deviceId, channelIds: [...now], mutes: mutes.filter(({ channelId }) => now.has(channelId)) }]);
    const left = {
      ...line,
      channelIds: channelIds.slice(MOST_CHANNELS),
      mutes: mutes.filter(({ channelId }) => !now.has(channelId)),
      isBegun: true,
    } as const;
    await staged.replace(importId, { ...place, device: left });
    const counts = { imported: !isBegun && created ? 1 : 0, updated: isBegun || created ? 0 : 1 };
    await count({ id: importId, ...counts, wallMs });
    return { done: false, ...counts };
  }

  return async ({ id, workspace_id: workspaceId, user_id: userId }: ImportRow, limit: number, wallMs: number) => {
    if ((await isMember({ workspaceId, userId })) === undefined) {
      await drop({ id });
      return { done: true, imported: 0, updated: 0 };
    }
    const untilMs = elapsedMs() + stepMs;
    const most = Math.ceil(limit / ROWS_OF_MOST_LINES);
    const waiting = await staged.next(id, most);
    const [first] = waiting;
    if (first !== undefined && first.device.channelIds.length > MOST_CHANNELS)
      return registerPart(id, userId, first, wallMs);
    const lookedAt = waiting.map(({ device: { channelIds, mutes = [], isBegun = false, ...device } }) => {
      return { channelIds, mutes, isBegun, registration: { userId, device, wallMs } };
    });
    const changed = new Set(await changedAmong(lookedAt.map(({ registration }) => registration)));
    const step = lookedAt.slice(0, linesWithin(limit, waiting, changed));
    const added = await registerNew(step.map(({ registration }) => registration));
    const lastAdded = Math.max(...added.keys());
    const subscribers: Subscribers[] = [];
    let [lines, counted, imported] = [0, 0, 0];
    for (const [place, { channelIds, mutes, isBegun, registration }] of step.entries()) {
      const known = added.get(place);
      const { id: deviceId, created } =
        known === undefined
          ? await register({ ...registration, channelIds: [] }, RENEWED_AT_ONCE)
          : { id: known, created: true };
      subscribers.push({ deviceId, channelIds, mutes });
      if (!isBegun) counted += 1;
      if (created && !isBegun) imported += 1;
      lines += 1;
      if (place >= lastAdded && elapsedMs() >= untilMs) break;
    }
    await subscribe(subscribers);
    const last = waiting[lines - 1];
    if (last !== undefined) await staged.removeUpTo(id, last);
    const updated = counted - imported;
    await count({ id, imported, updated, wallMs });
    return { done: lines === waiting.length && lines < most, imported, updated };
  };
}

interface Subscribers extends Required<Pick<StagedDevice, 'channelIds' | 'mutes'>> {
  readonly deviceId: number;
}

/** Returns how many of the lines are up to `limit` rows; at least one. */
function linesWithin(limit: number, lines: readonly StagedLine[], changed: ReadonlySet<number>): number {
  let rows = 0;
  const beyond = lines.findIndex(({ device: { channelIds, mutes = [] } }, place) => {
    rows += ROWS_OF_LINE + ROWS_OF_CHANNEL * channelIds.length + mutes.length;
    if (changed.has(place)) rows += ROWS_OF_CHANGED;
    return rows > limit;
  });
  return beyond === -1 ? lines.length : Math.max(1, beyond);
}
