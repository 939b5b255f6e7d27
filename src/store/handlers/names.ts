import { publicIdOf } from '../../contract/public-id.ts';
import type { Name, NameQuery } from '../records.ts';
import { ifGiven, type Sql } from '../sql.ts';
import { IS_THERE } from './events/states.ts';
import { HEARTBEATS as LIVING } from './heartbeats/rows.ts';

const WORKSPACES = 'SELECT slug AS value, name AS about FROM workspace ORDER BY slug';
const CHANNELS = `SELECT DISTINCT channel.slug AS value, channel.name AS about
  FROM channel JOIN workspace ON workspace.id = channel.workspace_id
  WHERE ${ifGiven('workspace', 'workspace.slug = :workspace')} ORDER BY channel.slug`;
const HEARTBEATS = `SELECT DISTINCT heartbeat.slug AS value, heartbeat.name AS about
  FROM ${LIVING}
  WHERE ${ifGiven('workspace', 'workspace.slug = :workspace')} ORDER BY heartbeat.slug`;
const KEYS = `SELECT api_key.id AS value, workspace.slug || ' ' || api_key.name AS about
  FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id
  WHERE api_key.revoked_at IS NULL ORDER BY api_key.id`;

/** Matches the prefix in SQL: members may be very many. */
const MEMBERS = `SELECT person.email AS value, person.name AS about FROM person
  WHERE person.email >= :prefix AND person.email < :beyond AND EXISTS (
    SELECT 1 FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = person.id AND ${ifGiven('workspace', 'workspace.slug = :workspace')}
  ) ORDER BY person.email LIMIT 100`;
const DEVICES = `SELECT device.public_id AS value, person.email || ' ' || device.name AS about
  FROM device JOIN person ON person.id = device.user_id
  WHERE device.public_id >= :prefix AND device.public_id < :beyond ORDER BY device.public_id LIMIT 100`;
const LATEST_EVENTS = `SELECT uuid, title AS about FROM event WHERE kind IS NULL AND ${IS_THERE} ORDER BY id DESC LIMIT 50`;

/** Sorts behind any continuation of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Returns a shell's completions of a word. */
export async function namesIn(sql: Sql, query: NameQuery): Promise<readonly Name[]> {
  switch (query.of) {
    case 'workspaces':
      return sql.all<object, Name>(WORKSPACES)({});
    case 'keys':
      return sql.all<object, Name>(KEYS)({});
    case 'devices':
      return sql.all<ReturnType<typeof rangeOf>, Name>(DEVICES)(rangeOf(query.prefix));
    case 'members': {
      const { workspace, prefix } = query;
      return sql.all<object, Name>(MEMBERS)({ workspace, ...rangeOf(prefix) });
    }
    case 'events': {
      const rows = await sql.all<object, { uuid: Uint8Array; about: string }>(LATEST_EVENTS)({});
      return rows.map(({ uuid, about }) => ({ value: publicIdOf(Buffer.from(uuid).toString('hex')), about }));
    }
    case 'channels':
      return sql.all<object, Name>(CHANNELS)({ workspace: query.workspace });
    case 'heartbeats':
      return sql.all<object, Name>(HEARTBEATS)({ workspace: query.workspace });
  }
}

function rangeOf(prefix: string): { readonly prefix: string; readonly beyond: string } {
  return { prefix, beyond: prefix + LAST_CHARACTER };
}
