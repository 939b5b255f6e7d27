import { type Channel, loadChannels } from '../api/channels.ts';
import { type Loaded, useLoad } from '../api/use-load.ts';

/** All channels of a workspace, however many pages they are, as the server has them. */
export function useLiveChannels(workspace: string): Omit<Loaded<readonly Channel[]>, 'patch'> {
  const { data, ...rest } = useLoad(workspace, () => loadChannels([workspace]), ['channels']);
  return { data: data?.flatMap(({ channels }) => channels) ?? null, problem: rest.problem, reload: rest.reload };
}

/** The same, for their names; null while they are loaded, and none where they could not be. */
export function useChannels(workspace: string): readonly Channel[] | null {
  const { data, problem } = useLoad(workspace, () => loadChannels([workspace]));
  return data?.flatMap(({ channels }) => channels) ?? (problem === null ? null : []);
}

/** What people see of channels, by what programs call them. */
export function namesOf(channels: readonly Channel[]): ReadonlyMap<string, string> {
  return new Map(channels.map(({ slug, name }) => [slug, name]));
}
