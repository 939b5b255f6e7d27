import { nearest } from '../../nearest.ts';
import { type Actor, isRefusal, type Refusal, type Unknown } from '../calls.ts';
import type { Db } from '../sqlite/transaction.ts';
import { IS_MEMBER } from './lookups.ts';

/** So that no typing error keeps the store busy: of the others none is suggested. */
const MAX_CANDIDATES = 1_000;

/** The answer of a call. The command line is told which name was probably meant: people and integrators are not. */
export function advice(db: Db): (answer: unknown, actor: Actor | undefined) => unknown {
  const suggest = suggestions(db);
  return (answer, actor) => {
    const isOfOperator = actor === undefined || actor.kind === 'operator';
    return isOfOperator && isRefusal(answer) ? suggest(answer) : answer;
  };
}

/** Adds to a refusal which name was probably meant, where there is one. */
export function suggestions(db: Db): (refusal: Refusal) => Refusal {
  const pluck = <P extends unknown[]>(sql: string) => db.prepare<P, string>(`${sql} LIMIT ${MAX_CANDIDATES}`).pluck();
  const workspaces = pluck<[]>('SELECT slug FROM workspace');
  const plans = pluck<[]>('SELECT name FROM plan');
  const users = pluck<[]>(`SELECT email FROM user WHERE ${IS_MEMBER}`);
  const channels = pluck<[number]>('SELECT slug FROM channel WHERE workspace_id = ?');
  const allChannels = pluck<[]>('SELECT DISTINCT slug FROM channel');
  const members = pluck<[number]>(
    'SELECT user.email FROM member JOIN user ON user.id = member.user_id WHERE member.workspace_id = ?',
  );

  function candidates(unknown: Unknown): readonly string[] {
    switch (unknown.of) {
      case 'workspace':
        return workspaces.all();
      case 'plan':
        return plans.all();
      case 'user':
        return users.all();
      case 'channel':
        return unknown.workspaceId === null ? allChannels.all() : channels.all(unknown.workspaceId);
      case 'member':
        return members.all(unknown.workspaceId);
    }
  }

  return ({ unknown, ...refusal }) => {
    const meant = unknown === undefined ? null : nearest(unknown.name, candidates(unknown));
    return meant === null ? refusal : { ...refusal, message: `${refusal.message} The nearest is "${meant}".` };
  };
}
