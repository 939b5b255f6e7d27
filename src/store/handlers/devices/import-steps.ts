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
/** A line's device to register, and its channels. */
export interface StagedDevice extends Omit<NewDevice, 'subscribe'> {
  readonly channelIds: readonly number[];
  /** At most one mute per channel. */
  readonly mutes?: readonly (StoredMute & { readonly channelId: number })[];
  /** Its device is registered and counted, with some channels. */
  readonly isBegun?: true;
}
interface DeviceMute extends StoredMute {
  readonly deviceId: number;
}
export interface NewLine {
  /** In the file. */
  readonly line: number;
  readonly device: StagedDevice;
}
export interface StagedLine extends NewLine {
  /** The device's place among registered ones, near neighbouring lines'. */
  readonly place: string;
}

/** Lines of imports until registered. */
export interface StagedLines {
  /** `staged`: the import's lines so far. */
  add(importId: number, staged: number, lines: readonly NewLine[]): Awaitable<void>;
  /** Returns the next `limit` lines by place. Equal tokens stay in file order. */
  next(importId: number, limit: number): Awaitable<readonly StagedLine[]>;
  /** Replaces a line by its rest. */
  replace(importId: number, line: StagedLine): Awaitable<void>;
  removeUpTo(importId: number, last: StagedLine): Awaitable<void>;
  /** Removes up to `limit` lines; returns how many. Fewer: nothing is left. */
  remove(importId: number, limit: number): Awaitable<number>;
}

type NewRegistration = Omit<Registration, 'channelIds'>;

export interface ImportDeps {
  readonly staged: StagedLines;
  /** The longest step: control changes wait for it. */
  readonly stepMs: number;
  /** Returns places of devices that start over or change owners: much may follow. */
  changedAmong(devices: readonly NewRegistration[]): Awaitable<readonly number[]>;
  /**
   * Registers devices with new addresses, the first per address. Returns ids by place; without any, each is registered
   * singly.
   */
  registerNew(devices: readonly NewRegistration[]): Awaitable<ReadonlyMap<number, number>>;
  /** Calls `Subscriptions.add` per device. */
  subscribeAll(deviceIds: readonly number[], channelId: number): Awaitable<void>;
  /** Calls `Subscriptions.mute` per device. */
  muteAll(mutes: readonly DeviceMute[], channelId: number): Awaitable<void>;
}

/** The line and its device. */
const ROWS_OF_LINE = 2;
/** PostgreSQL: the subscription, the number of subscribers, and the numbering channel. */
const ROWS_OF_CHANNEL = 3;
/** Most lines have a single channel. */
const ROWS_OF_MOST_LINES = ROWS_OF_LINE + ROWS_OF_CHANNEL;
/** A known device's subscriptions renewed with its line. */
const RENEWED_AT_ONCE = 8;
/** Rows of a device with a new owner or start: subscriptions at once, and a job. */
const ROWS_OF_CHANGED = 52;
/** Larger lines are registered in parts. */
const MOST_CHANNELS = 100;

/** Registers devices of a committed import's next lines: up to `limit` rows, at least one line, fewer if slow. */
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

  /** Registers a line's device on its first channels; the line keeps others. */
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

/** Returns how many lines are up to `limit` rows; at least one. */
function linesWithin(limit: number, lines: readonly StagedLine[], changed: ReadonlySet<number>): number {
  let rows = 0;
  const beyond = lines.findIndex(({ device: { channelIds, mutes = [] } }, place) => {
    rows += ROWS_OF_LINE + ROWS_OF_CHANNEL * channelIds.length + mutes.length;
    if (changed.has(place)) rows += ROWS_OF_CHANGED;
    return rows > limit;
  });
  return beyond === -1 ? lines.length : Math.max(1, beyond);
}
