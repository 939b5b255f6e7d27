import { INSIST_DEFAULTS, type InsistPolicy } from '../../../contract/insist.ts';
import { quietProblems } from '../../../contract/quiet-hours.ts';
import type { Channel } from '../../../store/calls.ts';
import { bodyReader } from '../../body/body-fields.ts';
import type { Handler, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

type ChannelRequest = Pick<Channel, 'slug'> & Partial<Pick<Channel, 'name'>>;
type ChannelChange = Partial<Pick<Channel, 'name' | 'status' | 'quiet'>> & {
  readonly insist?: Partial<InsistPolicy> | null;
};

export function channelRoutes(service: Service) {
  return {
    createChannel: postChannel(service),
    updateChannel: patchChannel(service),
    deleteChannel: deleteChannel(service),
  } satisfies Routes;
}

/** POST /v1/workspaces/{workspace}/channels */
function postChannel({ manage }: Service): Handler {
  const read = bodyReader<ChannelRequest>('channel-request');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { slug, name = slug } = await read(context);
    const created = await store.createChannel({ workspace, slug, name });
    return { status: 201, body: { channel: unwrap(created, 'workspace_not_found') } };
  };
}

/** PATCH /v1/workspaces/{workspace}/channels/{channel} */
function patchChannel({ manage }: Service): Handler {
  const read = bodyReader<ChannelChange>('channel-change', {
    rules: ({ quiet }) => (quiet ? quietProblems(quiet) : []),
  });
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { insist: asked, ...change } = await read(context);
    const insist = asked && { ...INSIST_DEFAULTS, ...asked };
    const slug = context.params.channel;
    const channel = await store.updateChannel({ workspace, slug, ...change, ...(insist !== undefined && { insist }) });
    return { status: 200, body: { channel: unwrap(channel, 'channel_not_found') } };
  };
}

/** DELETE /v1/workspaces/{workspace}/channels/{channel} */
function deleteChannel({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    unwrap(await store.deleteChannel({ workspace, slug: context.params.channel }), 'channel_not_found');
    return { status: 204 };
  };
}
