import { namesKey, WORKSPACE_NAMES } from '../messages.ts';

interface Place {
  readonly workspace: string;
  readonly channel: string;
}

/**
 * Returns the name of a push's channel, and of its workspace if the person has several, if known here. `read` finds
 * JSON kept at an address; undefined: nothing.
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
