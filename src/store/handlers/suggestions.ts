import { nearest } from '../../values/nearest.ts';
import { type Actor, isRefusal, type Refusal, type Unknown } from '../calls.ts';
import type { Awaitable, Sql } from '../sql.ts';
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
