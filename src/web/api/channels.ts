import { CHANNEL_NAMES, namesKey } from '../messages.ts';
import { emailHere } from '../session.ts';
import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import type { Answer } from './problem.ts';
import { type Loaded, useLoad } from './use-load.ts';

export type Channel = Schema<'ChannelList'>['channels'][number];
export interface WorkspaceChannels {
  readonly workspace: string;
  readonly channels: readonly Channel[];
  /** The next page; null: these are all. */
  readonly next: string | null;
}
export type ChannelLists = readonly WorkspaceChannels[];

/** The most channels per page of a choice. */
const PAGE = 100;

function loadChannels(workspaces: readonly string[]): Promise<Answer<ChannelLists>> {
  return ofEach(workspaces.map((workspace) => channelsOf({ workspace }, Number.POSITIVE_INFINITY)));
}

/** Finds each workspace's first channels with `q` in the name, as many as it shows. */
export function findChannels(
  workspaces: readonly string[],
  q: string,
  shown: ChannelLists,
): Promise<Answer<ChannelLists>> {
  const countIn = (workspace: string) => shown.find((of) => of.workspace === workspace)?.channels.length ?? 0;
  return ofEach(workspaces.map((workspace) => channelsOf({ workspace, q, limit: PAGE }, countIn(workspace))));
}

/** Loads the next page of each unfinished list. */
export function findMoreChannels(shown: ChannelLists, q: string): Promise<Answer<ChannelLists>> {
  return ofEach(
    shown.flatMap(({ workspace, next }) =>
      next === null ? [] : [channelsOf({ workspace, q, limit: PAGE, after: next }, 1)],
    ),
  );
}

async function ofEach(asked: readonly Promise<Answer<WorkspaceChannels>>[]): Promise<Answer<ChannelLists>> {
  const answers = await Promise.all(asked);
  const failed = answers.find((answer) => !answer.ok);
  if (failed !== undefined) return failed;
  return { ok: true, data: answers.flatMap((answer) => (answer.ok ? [answer.data] : [])) };
}

interface Asked {
  readonly workspace: string;
  readonly q?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** Loads pages until there are this many channels. */
async function channelsOf({ workspace, q, limit, after }: Asked, least: number): Promise<Answer<WorkspaceChannels>> {
  const channels: Channel[] = [];
  let next: string | null | undefined = after;
  do {
    const page: Answer<Schema<'ChannelList'>> = await ask('get', '/v1/workspaces/{workspace}/channels', {
      path: { workspace },
      query: { q: q || undefined, limit, after: next ?? undefined },
    });
    if (!page.ok) return page;
    channels.push(...page.data.channels);
    next = page.data.next;
  } while (next !== null && channels.length < least);
  void keepNames(workspace, channels).catch(() => undefined);
  return { ok: true, data: { workspace, channels, next } };
}

/** Keeps channel names for notifications, if the browser has caches. */
async function keepNames(workspace: string, channels: readonly Channel[]): Promise<void> {
  const cache = await caches.open(CHANNEL_NAMES);
  // The same check as in `write` of `kept-events.ts`.
  if (emailHere() === null) return;
  const before: Readonly<Record<string, string>> = (await (await cache.match(namesKey(workspace)))?.json()) ?? {};
  const names = { ...before, ...Object.fromEntries(channels.map(({ slug, name }) => [slug, name])) };
  await cache.put(namesKey(workspace), new Response(JSON.stringify(names)));
}

export interface Place {
  readonly device: string;
  readonly workspace: string;
  readonly channel: string;
}

export function subscribe(path: Place, isWanted: boolean): Promise<Answer<unknown>> {
  return ask(isWanted ? 'put' : 'delete', '/v1/devices/{device}/subscriptions/{workspace}/{channel}', { path });
}

export function withSubscription(
  all: ChannelLists,
  { device, workspace, channel }: Place,
  isWanted: boolean,
): ChannelLists {
  const changed = (entry: Channel): Channel => {
    const others = entry.devices.filter((id) => id !== device);
    return { ...entry, devices: isWanted ? [...others, device] : others };
  };
  return all.map((of) =>
    of.workspace === workspace
      ? { ...of, channels: of.channels.map((entry) => (entry.slug === channel ? changed(entry) : entry)) }
      : of,
  );
}

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
