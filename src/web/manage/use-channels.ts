import { type Channel, loadChannels } from '../api/channels.ts';
import { type Loaded, useLoad } from '../api/use-load.ts';

/** All channels of a workspace, however many pages they are, as the server has them. */
export function useLiveChannels(workspace: string): Omit<Loaded<readonly Channel[]>, 'patch'> {
  const { data, ...rest } = useLoad(workspace, () => loadChannels([workspace]), ['channels']);
  return { data: data?.flatMap(({ channels }) => channels) ?? null, problem: rest.problem, reload: rest.reload };
}

/** The same, to choose from; null until they are there. */
export function useChannels(workspace: string): readonly Channel[] | null {
  const { data } = useLoad(workspace, () => loadChannels([workspace]));
  return data?.flatMap(({ channels }) => channels) ?? null;
}

/** What people see of channels, by what programs call them. */
export function namesOf(channels: readonly Channel[]): ReadonlyMap<string, string> {
  return new Map(channels.map(({ slug, name }) => [slug, name]));
}
