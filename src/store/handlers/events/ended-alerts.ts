import type { NamedGroup } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { CHANNELS_REACHED } from './lists.ts';

/** Below Alertmanager's default repeat: repeats after a mistaken resolution are news. */
const KEPT_MS = 3 * 3_600_000;
/** The most recent ends per group, and the most groups per channel. Older ends that come late are posted. */
const MOST_ALERTS = 200;
const MOST_GROUPS = 200;

/** An alert's end by its sender's clock, and when it was noted, by fingerprint. */
type Ends = Readonly<Record<string, readonly [endedMs: number, notedMs: number]>>;

interface Group {
  readonly channelId: number;
  readonly group: string;
}

const NOTE = `
  INSERT INTO ended_group (channel_id, name, alerts, noted_at) VALUES (:channelId, :group, :alerts, :steadyMs)
  ON CONFLICT (channel_id, name) DO UPDATE SET alerts = excluded.alerts, noted_at = excluded.noted_at`;
const FORGET = `
  DELETE FROM ended_group WHERE channel_id = CAST(:channelId AS BIGINT) AND (
    noted_at <= CAST(:beforeMs AS BIGINT) OR name IN (
      SELECT name FROM ended_group WHERE channel_id = CAST(:channelId AS BIGINT)
      ORDER BY noted_at DESC LIMIT 100 OFFSET ${MOST_GROUPS - 1}
    )
  )`;

/** Remembers alerts' ends for hours, to recognize late events. */
export function endedAlerts(sql: Sql) {
  const channelOf = sql.value<Omit<NamedGroup, 'group'>, number>(`SELECT id ${CHANNELS_REACHED} AND slug = :channel`);
  const read = sql.value<Group, string>(
    'SELECT alerts FROM ended_group WHERE channel_id = CAST(:channelId AS BIGINT) AND name = :group',
  );
  const note = sql.run<Group & { alerts: string; steadyMs: number }>(NOTE);
  const forget = sql.run<{ channelId: number; beforeMs: number }>(FORGET);

  async function endsOf(group: Group, steadyMs: number): Promise<Ends> {
    const known = Object.entries(JSON.parse((await read(group)) ?? '{}') as Ends);
    return Object.fromEntries(known.filter(([, [, notedMs]]) => notedMs > steadyMs - KEPT_MS && notedMs <= steadyMs));
  }

  return {
    async endsOfAlerts({ group, ...named }, { steadyMs }) {
      const channelId = await channelOf(named);
      if (channelId === undefined) return {};
      const ends = Object.entries(await endsOf({ channelId, group }, steadyMs));
      return Object.fromEntries(ends.map(([alert, [endedMs]]) => [alert, endedMs]));
    },

    async noteEndsOfAlerts({ group, ended, ...named }, { steadyMs }) {
      const channelId = await channelOf(named);
      if (channelId === undefined) return null;
      const known = await endsOf({ channelId, group }, steadyMs);
      const fresh = Object.entries(ended).map(([alert, endedMs]) => [
        alert,
        [Math.max(endedMs, known[alert]?.[0] ?? 0), steadyMs],
      ]);
      const all = Object.entries({ ...known, ...Object.fromEntries(fresh) }).slice(-MOST_ALERTS);
      await forget({ channelId, beforeMs: steadyMs - KEPT_MS });
      await note({ channelId, group, alerts: JSON.stringify(Object.fromEntries(all)), steadyMs });
      return null;
    },
  } satisfies SomeHandlers;
}
