import { ask } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useLoad } from '../api/use-load.ts';

/** The channels of a workspace, to choose from; none until they are there. */
export function useChannels(workspace: string): readonly Schema<'Channel'>[] {
  const channels = useLoad(workspace, () => ask('get', '/v1/workspaces/{workspace}/channels', { path: { workspace } }));
  return channels.data?.channels ?? [];
}
