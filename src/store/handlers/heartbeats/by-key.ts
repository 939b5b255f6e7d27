import { SCHEDULE_BY_DEFAULT } from '../../../contract/heartbeats.ts';
import { type FoundByName, isRefusal, type NamedHeartbeat, type Reach } from '../../calls.ts';
import { noChannel, noHeartbeat, noSuchChannel } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyBindings } from '../keys/bindings.ts';
import { lookups } from '../lookups.ts';
import { heartbeatDefinitions } from './definitions.ts';
import { heartbeatPages } from './pages.ts';
import { HEARTBEATS, type HeartbeatRow, showAddressed, showHeartbeat } from './rows.ts';

/** Ignores case. Slugs per workspace are few. */
const BY_NAME = `
  SELECT heartbeat.slug, uuid, channel_id IN (SELECT channel_id FROM key_channel WHERE key_id = :keyId) AS "isReached"
  FROM ${HEARTBEATS} WHERE heartbeat.workspace_id = :workspaceId AND lower(heartbeat.slug) = :slug`;

/** Lists, defines and pings heartbeats for keys. Those of unreachable channels do not exist. */
export function heartbeatsByKey(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const readPage = heartbeatPages(sql);
  const byName = sql.all<NamedHeartbeat, { uuid: string; isReached: boolean | number }>(BY_NAME);
  const bindings = keyBindings(sql);
  const find = lookups(sql);
  const define = heartbeatDefinitions(sql, settings, deps);

  async function findNamed(named: NamedHeartbeat): Promise<FoundByName> {
    const all = await byName(named);
    const [found, another] = all.filter(({ isReached }) => isReached);
    if (another !== undefined) return { kind: 'ambiguous' };
    if (found !== undefined) return { kind: 'found', uuid: found.uuid };
    return { kind: all.length > 0 ? 'unreachable' : 'none' };
  }

  async function canReach({ boundKeyId }: Reach, channel: string): Promise<boolean> {
    return boundKeyId === null || (await bindings.slugsOf(boundKeyId)).includes(channel);
  }

  return {
    listReachedHeartbeats: (filter, now) => readPage(filter, now, showHeartbeat),

    findNamedHeartbeat: (named) => findNamed(named),

    async addNamedHeartbeat(named, now) {
      const { workspaceId, keyId, origin, slug } = named;
      const workspace = await find.workspaceById(workspaceId);
      const found = await findNamed(named);
      const [channel = ''] = await bindings.slugsOf(keyId);
      if (workspace === undefined || channel === '') return noSuchChannel(channel);
      if (found.kind === 'found') return { uuid: found.uuid, channel, isNew: false };
      if (found.kind !== 'none') return noHeartbeat(slug, workspace);
      const row = await define.add(workspace, { slug, channel }, origin, now);
      return isRefusal(row) ? row : { uuid: row.uuid, channel, isNew: true };
    },

    async putHeartbeat({ workspaceId, boundKeyId, slug, channel, ...asked }, now) {
      const workspace = await find.workspaceById(workspaceId);
      if (workspace === undefined) return noSuchChannel(channel);
      const reach = { workspaceId, boundKeyId };
      if (!(await canReach(reach, channel))) return noChannel(channel, workspace);
      const before = await define.find(workspace, slug);
      if (!isRefusal(before) && !(await canReach(reach, before.channel))) return noHeartbeat(slug, workspace);
      const row = isRefusal(before)
        ? await define.add(workspace, { ...asked, slug, channel }, null, now)
        : await define.change(workspace, before, { name: slug, ...asked, channel }, now, SCHEDULE_BY_DEFAULT);
      if (isRefusal(row)) return row;
      const done = isRefusal(before) ? 'added' : isSame(before, row) ? 'nothing' : 'changed';
      return { heartbeat: showAddressed(row, now), done };
    },
  } satisfies SomeHandlers;
}

function isSame(before: HeartbeatRow, after: HeartbeatRow): boolean {
  return (['name', 'channelId', 'every', 'cron', 'timezone', 'grace', 'failures'] as const).every(
    (field) => before[field] === after[field],
  );
}
