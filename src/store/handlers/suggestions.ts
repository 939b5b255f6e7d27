import { publicIdOf } from '../../contract/public-id.ts';
import { nearest } from '../../values/nearest.ts';
import { type Actor, isRefusal, type Refusal, type Unknown } from '../calls.ts';
import type { Name, NameQuery } from '../records.ts';
import { type Awaitable, ifGiven, type Sql } from '../sql.ts';
import { IS_THERE } from './events/states.ts';
import { HEARTBEATS as LIVING } from './heartbeats/rows.ts';
import { IS_MEMBER } from './lookups.ts';

/** Bounds the work for a typing error: later names are never suggested. */
const MAX_CANDIDATES = 1_000;

/**
 * Adds advice to the answer of a call. Only the command line gets the name that was probably meant, not people and
 * integrators.
 */
export function advice(sql: Sql): (answer: unknown, actor: Actor | undefined) => Awaitable<unknown> {
  const suggest = suggestions(sql);
  return (answer, actor) => {
    const isOfOperator = actor === undefined || actor.kind === 'operator';
    return isOfOperator && isRefusal(answer) ? suggest(answer) : answer;
  };
}

export function suggestions(sql: Sql): (refusal: Refusal) => Promise<Refusal> {
  const some = <P>(text: string) => sql.values<P, string>(`${text} LIMIT ${MAX_CANDIDATES}`);
  const workspaces = some<object>('SELECT slug FROM workspace');
  const plans = some<object>('SELECT name FROM plan');
  const users = some<object>(`SELECT email FROM person WHERE ${IS_MEMBER}`);
  const channels = some<{ workspaceId: number }>('SELECT slug FROM channel WHERE workspace_id = :workspaceId');
  const allChannels = some<object>('SELECT DISTINCT slug FROM channel');
  const members = some<{ workspaceId: number }>(
    'SELECT person.email FROM member JOIN person ON person.id = member.user_id WHERE member.workspace_id = :workspaceId',
  );

  const rotas = some<{ workspaceId: number }>('SELECT slug FROM rota WHERE workspace_id = :workspaceId');

  function candidates(unknown: Unknown): Awaitable<readonly string[]> {
    switch (unknown.of) {
      case 'workspace':
        return workspaces({});
      case 'plan':
        return plans({});
      case 'user':
        return users({});
      case 'channel':
        return unknown.workspaceId === null ? allChannels({}) : channels({ workspaceId: unknown.workspaceId });
      case 'member':
        return members({ workspaceId: unknown.workspaceId });
      case 'rota':
        return rotas({ workspaceId: unknown.workspaceId });
      case 'device':
        return []; // ids are copied, not typed
    }
  }

  return async ({ unknown, ...refusal }) => {
    const meant = unknown === undefined ? null : nearest(unknown.name, await candidates(unknown));
    return meant === null ? refusal : { ...refusal, message: `${refusal.message} The nearest is "${meant}".` };
  };
}

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
      return rows.map(({ uuid, about }) => ({ value: publicIdOf(uuid), about }));
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
