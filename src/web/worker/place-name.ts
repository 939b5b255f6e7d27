import { namesKey, WORKSPACE_NAMES } from '../messages.ts';

interface Place {
  readonly workspace: string;
  readonly channel: string;
}

/**
 * Returns what people call the place of a push, as far as a page of this browser has known it: its channel, and its
 * workspace if they have several. `read` finds what was kept at an address, as JSON; undefined: nothing.
 */
export async function placeName(
  { workspace, channel }: Place,
  read: (address: string) => Promise<unknown>,
): Promise<string | null> {
  const [channels, workspaces] = await Promise.all([read(namesKey(workspace)), read(WORKSPACE_NAMES)]);
  const name = namesIn(channels).get(channel);
  const all = namesIn(workspaces);
  return all.size > 1 ? `${name ?? channel} · ${all.get(workspace) ?? workspace}` : (name ?? null);
}

function namesIn(kept: unknown): ReadonlyMap<string, string> {
  if (typeof kept !== 'object' || kept === null) return new Map();
  return new Map(Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
