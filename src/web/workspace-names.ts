import { CHANNEL_NAMES, WORKSPACE_NAMES } from './messages.ts';
import { Shared } from './shared.ts';

/** By slug. */
type Names = ReadonlyMap<string, string>;

const KEPT_AS = 'workspaces';

/** What the workspaces of the person here are called. The browser keeps it: rows have their names at once, also offline. */
export const workspaceNames = new Shared<Names>(read());
workspaceNames.listen(() => {
  if (workspaceNames.value.size === 0) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify([...workspaceNames.value]));
  void keepForWorker().catch(() => undefined);
});

/** Returns what a thing in a list of all workspaces says of its own; null: the person has no other one. */
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

/** The end of a session removes the whole cache. */
async function keepForWorker(): Promise<void> {
  const cache = await caches.open(CHANNEL_NAMES);
  const names = workspaceNames.value;
  if (names.size > 0) await cache.put(WORKSPACE_NAMES, new Response(JSON.stringify(Object.fromEntries(names))));
}
