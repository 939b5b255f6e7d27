import { CHANNEL_NAMES, WORKSPACE_NAMES } from './messages.ts';
import { Shared } from './shared.ts';

/** Names by slug. */
type Names = ReadonlyMap<string, string>;

const KEPT_AS = 'workspaces';

/**
 * The names of the person's workspaces. The browser stores them, so that rows have their names at once, even offline.
 */
export const workspaceNames = new Shared<Names>(read());
workspaceNames.listen(() => {
  if (workspaceNames.value.size === 0) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify([...workspaceNames.value]));
  void keepForWorker().catch(() => undefined);
});

/** Returns the name of a workspace for a row in a list of all workspaces; null: the person has only one. */
export function workspaceLabel(slug: string, names: Names = workspaceNames.value): string | null {
  return names.size > 1 ? (names.get(slug) ?? slug) : null;
}

function read(): Names {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]') as [string, string][]);
  } catch {
    return new Map();
  }
}

/** Stores the names for the worker. The end of a session removes the whole cache. */
async function keepForWorker(): Promise<void> {
  const cache = await caches.open(CHANNEL_NAMES);
  const names = workspaceNames.value;
  if (names.size > 0) await cache.put(WORKSPACE_NAMES, new Response(JSON.stringify(Object.fromEntries(names))));
}
