import { type Channel, loadChannels } from '../api/channels.ts';
import { type Loaded, useLoad } from '../api/use-load.ts';

/** Returns all channels of a workspace, in server order. */
export function useLiveChannels(workspace: string): Omit<Loaded<readonly Channel[]>, 'patch'> {
  const { data, ...rest } = useLoad(workspace, () => loadChannels([workspace]), ['channels']);
  return { data: data?.flatMap(({ channels }) => channels) ?? null, problem: rest.problem, reload: rest.reload };
}

/** Returns all channels, for names: null while loading, none after a failure. */
export function useChannels(workspace: string): readonly Channel[] | null {
  const { data, problem } = useLoad(workspace, () => loadChannels([workspace]));
  return data?.flatMap(({ channels }) => channels) ?? (problem === null ? null : []);
}

export function namesOf(channels: readonly Channel[]): ReadonlyMap<string, string> {
  return new Map(channels.map(({ slug, name }) => [slug, name]));
}
