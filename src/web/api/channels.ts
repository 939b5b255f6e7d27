import { CHANNEL_NAMES, namesKey } from '../messages.ts';
import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import type { Answer } from './problem.ts';

export type Channel = Schema<'ChannelList'>['channels'][number];
/** Of one workspace, in the order of the server. */
export interface WorkspaceChannels {
  readonly workspace: string;
  readonly channels: readonly Channel[];
}

/** All channels of all these workspaces. */
export async function loadChannels(workspaces: readonly string[]): Promise<Answer<readonly WorkspaceChannels[]>> {
  const answers = await Promise.all(workspaces.map(channelsOf));
  const failed = answers.find((answer) => !answer.ok);
  if (failed !== undefined) return failed;
  return { ok: true, data: answers.flatMap((answer) => (answer.ok ? [answer.data] : [])) };
}

async function channelsOf(workspace: string): Promise<Answer<WorkspaceChannels>> {
  const channels: Channel[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask('get', '/v1/workspaces/{workspace}/channels', {
      path: { workspace },
      query: after === undefined ? {} : { after },
    });
    if (!page.ok) return page;
    channels.push(...page.data.channels);
    after = page.data.next;
  }
  void keepNames(workspace, channels).catch(() => undefined);
  return { ok: true, data: { workspace, channels } };
}

/** For the notifications here, which show a channel as people call it. A browser that keeps nothing goes without. */
async function keepNames(workspace: string, channels: readonly Channel[]): Promise<void> {
  const named = channels.filter(({ slug, name }) => name !== slug);
  const names = Object.fromEntries(named.map(({ slug, name }) => [slug, name]));
  await (await caches.open(CHANNEL_NAMES)).put(namesKey(workspace), new Response(JSON.stringify(names)));
}

/** A device and a channel. */
export interface Place {
  readonly device: string;
  readonly workspace: string;
  readonly channel: string;
}

export function subscribe(path: Place, isWanted: boolean): Promise<Answer<unknown>> {
  return ask(isWanted ? 'put' : 'delete', '/v1/devices/{device}/subscriptions/{workspace}/{channel}', { path });
}

/** The channels, with this subscription as it is now. */
export function withSubscription(
  all: readonly WorkspaceChannels[],
  { device, workspace, channel }: Place,
  isWanted: boolean,
): readonly WorkspaceChannels[] {
  const changed = (one: Channel): Channel => {
    const others = one.devices.filter((id) => id !== device);
    return { ...one, devices: isWanted ? [...others, device] : others };
  };
  return all.map((of) =>
    of.workspace === workspace
      ? { ...of, channels: of.channels.map((one) => (one.slug === channel ? changed(one) : one)) }
      : of,
  );
}
