import { CHANNEL_NAMES, WORKSPACE_NAMES } from './messages.ts';
import { Shared } from './shared.ts';

/** Names by slug. */
type Names = ReadonlyMap<string, string>;

const KEPT_AS = 'workspaces';

/** The names of the person's workspaces, stored so that rows have them at once, even offline. */
export const workspaceNames = new Shared<Names>(read());
workspaceNames.listen(() => {
  if (workspaceNames.value.size === 0) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify([...workspaceNames.value]));
  void keepForWorker().catch(() => undefined);
});

/** Returns a workspace's name for rows of all workspaces; null: there is only one. */
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

/** Stores the names for the worker. The session's end removes the cache. */
async function keepForWorker(): Promise<void> {
  const cache = await caches.open(CHANNEL_NAMES);
  const names = workspaceNames.value;
  if (names.size > 0) await cache.put(WORKSPACE_NAMES, new Response(JSON.stringify(Object.fromEntries(names))));
}
