import type { Actor, Refusal } from '../../calls.ts';
import { noScope } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';

const CHANGES_ALERTS = "' ' || api_key.scopes || ' ' LIKE '% alerts:write %'";

/**
 * Returns the SQL condition that a key may end an alert. `origin`: of the asking key, NULL: no key asks. `postedBy`:
 * the origin of the key that posted all of the alert's events. PostgreSQL has the same rule in `update_alert`.
 */
export function mayEnd(origin: string, postedBy: string): string {
  return `(
    ${origin} IS NULL OR ${postedBy} = ${origin}
    OR EXISTS (SELECT 1 FROM api_key WHERE api_key.origin = ${origin} AND ${CHANGES_ALERTS})
  )`;
}

/** Judges only what keys do to events and alerts. Null: permitted. */
interface KeyEndings {
  /** Takes `alerts:write`. */
  change(actor: Actor | undefined): Promise<Refusal | null>;
  /** Also what only this key and its rotations posted. `postedBy`: origin. */
  end(actor: Actor | undefined, postedBy: string | null): Promise<Refusal | null>;
}

export function keyEndings(sql: Sql): KeyEndings {
  const mayChange = sql.value<{ id: string }, 1>(`SELECT 1 FROM api_key WHERE id = :id AND ${CHANGES_ALERTS}`);
  const originOf = sql.value<{ id: string }, string>('SELECT origin FROM api_key WHERE id = :id');

  async function change(actor: Actor | undefined): Promise<Refusal | null> {
    if (actor?.kind !== 'key' || (await mayChange({ id: actor.id })) === 1) return null;
    return noScope('alerts:write');
  }

  return {
    change,
    async end(actor, postedBy) {
      const isOwn = actor?.kind === 'key' && postedBy !== null && (await originOf({ id: actor.id })) === postedBy;
      return isOwn ? null : change(actor);
    },
  };
}
