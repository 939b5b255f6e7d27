import type { StoreSettings } from '../settings.ts';
import { assembleVerbs } from '../verbs/assembly.ts';
import type { CallHandlers } from '../verbs/verb.ts';
import type { Connection } from './connections.ts';
import type { OwnWays } from './own-ways.ts';

/** The calls of the store over one connection: what is carried out in PostgreSQL's own way, and the verbs of all engines. */
export function assembleHandlers(
  { sql }: Connection,
  settings: StoreSettings,
  { calls, forVerbs }: OwnWays,
): Partial<CallHandlers> {
  return { ...assembleVerbs(sql, settings, forVerbs), ...calls };
}
