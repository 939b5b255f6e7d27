import { type Channel, loadChannels } from '../api/channels.ts';
import { useLoad } from '../api/use-load.ts';

/** All channels of a workspace, to choose from; null until they are there. */
export function useChannels(workspace: string): readonly Channel[] | null {
  const { data } = useLoad(workspace, () => loadChannels([workspace]));
  return data?.flatMap(({ channels }) => channels) ?? null;
}
