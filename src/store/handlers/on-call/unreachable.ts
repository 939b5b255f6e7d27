import { LEVELS } from '../../../push.ts';
import { ID_LIST, idList, type Sql } from '../../sql.ts';
import type { StoredUnreachable } from '../../stored-status.ts';
import { shownName } from '../alerts/shown-name.ts';
import { HEARS } from './reachable.ts';

/** Channels whose rotas are checked. */
const MOST_CHANNELS = 200;
const FIRST = 5;

const CHANNELS = `
  SELECT channel.id, workspace.slug AS workspace, channel.slug AS channel, rota.slug AS rota, rota.members
  FROM channel JOIN rota ON rota.id = channel.rota_id JOIN workspace ON workspace.id = channel.workspace_id
  WHERE channel.rota_id > 0 AND channel.status = 'active'`;

/** Members of a rota who have no device that would ring, whatever the level. */
const UNREACHED = `
  SELECT email, name FROM person
  WHERE id IN ${ID_LIST} AND NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.user_id = person.id AND ${HEARS})
  ORDER BY id`;

type Unreachable = StoredUnreachable['first'][number];
interface Row extends Omit<Unreachable, 'email' | 'name'> {
  readonly id: number;
  /** JSON list of people. */
  readonly members: string;
}

/** Finds all members of rotas, not only today's, who are not reachable for a channel. */
export function unreachableOnCall(sql: Sql) {
  const everywhere = sql.all<object, Row>(`${CHANNELS} ORDER BY channel.rota_id LIMIT ${MOST_CHANNELS}`);
  const inWorkspace = sql.all<object, Row>(
    `${CHANNELS} AND channel.workspace_id = :workspaceId ORDER BY channel.rota_id LIMIT ${MOST_CHANNELS}`,
  );
  const unreached = sql.all<object, { email: string; name: string }>(UNREACHED);

  return async (workspaceId: number | null, wallMs: number): Promise<StoredUnreachable> => {
    const rows = await (workspaceId === null ? everywhere({}) : inWorkspace({ workspaceId }));
    const found: Unreachable[] = [];
    for (const { id: channelId, members, ...place } of rows) {
      const asked = { channelId, level: LEVELS.length - 1, wallMs, ...idList(JSON.parse(members)) };
      for (const person of await unreached(asked))
        found.push({ ...place, email: person.email, name: shownName(person) });
    }
    return { count: found.length, first: found.slice(0, FIRST) };
  };
}
