import { ask } from './ask.ts';
import type { Input, Schema } from './client.ts';
import { kept, useKept } from './keep-loaded.ts';
import type { Answer } from './problem.ts';

export type Alert = Schema<'Alert'>;
export type AlertPage = Schema<'AlertList'>;
type Query = NonNullable<Input<'get', '/v1/alerts'>['query']>;

/** The most alerts of a list. */
const AT_ONCE = 100;

/** The last loaded open and acknowledged alerts of all workspaces; null: unknown yet. */
export const liveAlerts = kept<AlertPage>();

/** Keeps `liveAlerts` current while signed in. `loadList` loads the listing part in parallel: nothing moves later. */
export function useLiveAlerts(loadList: () => Promise<unknown>): void {
  useKept(liveAlerts, () => loadLive(loadList), ['alerts', 'inbox', 'channels', 'session']);
}

async function loadLive(loadList: () => Promise<unknown>): Promise<Answer<AlertPage>> {
  const loaded = await loadAlerts('live');
  const known = import('../kept-events.ts').then((kept) => kept.knownAlerts(loaded)).catch(() => loaded);
  const answer = loaded.ok ? loaded : await known;
  if (answer.ok && answer.data.alerts.length > 0) await loadList();
  return answer;
}

/** Loads a state's newest alerts, or those before one. */
export function loadAlerts(state: NonNullable<Query['state']>, before?: string): Promise<Answer<AlertPage>> {
  return ask('get', '/v1/alerts', { query: { state, limit: AT_ONCE, before } });
}
