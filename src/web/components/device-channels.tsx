import { type Place, type WorkspaceChannels, withSubscription } from '../api/channels.ts';
import type { Device } from '../api/devices.ts';
import { usePerson } from '../session.ts';
import { devices as texts } from '../texts/devices.ts';
import { ChannelSearchField, ChannelsGoOn, useChannelSearch } from './channel-search.tsx';
import { Skeleton } from './loading.tsx';
import { MakeChannel } from './make-channel.tsx';
import { ProblemNote } from './problem-note.tsx';
import { SubscriptionRow, useSubscribing } from './subscription-row.tsx';

interface Props {
  readonly device: Device;
  readonly reload: () => Promise<void>;
}

export function DeviceChannels({ device, reload: reloadDevice }: Props) {
  const { id } = device;
  const workspaces = usePerson()?.workspaces ?? [];
  const slugs = workspaces.map(({ slug }) => slug);
  const search = useChannelSearch(slugs, { kinds: ['channels', 'devices'] });
  const { data, problem, patch } = search;
  if (data === null && problem !== null) return <ProblemNote problem={problem} retry={search.reload} />;
  if (data === null) return <Skeleton label={texts.subscribedTo} rows={2} />;
  const all = data.flatMap(({ channels }) => channels);
  if (all.length === 0 && search.q === '') return <MakeChannel />;
  return (
    <>
      {search.isMany && <ChannelSearchField of={search} />}
      {device.subscriptions.length === 0 && !all.some(({ devices }) => devices.includes(id)) && (
        <p class="hint">{texts.subscribeNext}</p>
      )}
      {data.map((of) => (
        <OfWorkspace
          key={of.workspace}
          device={device}
          of={of}
          name={workspaces.find(({ slug }) => slug === of.workspace)?.name ?? of.workspace}
          muted={reloadDevice}
          changed={(place, isWanted) => patch((before) => withSubscription(before, place, isWanted))}
        />
      ))}
      <ChannelsGoOn of={search} />
    </>
  );
}

interface OfWorkspaceProps {
  readonly device: Device;
  readonly of: WorkspaceChannels;
  readonly name: string;
  readonly changed: (place: Place, isWanted: boolean) => void;
  readonly muted: () => Promise<void>;
}

function OfWorkspace({ device, of: { workspace, channels }, name, changed, muted }: OfWorkspaceProps) {
  const { isWorking, problem, toggle } = useSubscribing(changed);
  if (channels.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend class="group" dir="auto">
        {name}
      </legend>
      <ProblemNote problem={problem} />
      {channels.map((channel) => (
        <SubscriptionRow
          key={channel.slug}
          {...{ device, workspace, channel, isWorking }}
          name={channel.name}
          onSwitch={(place, isWanted) => void toggle(place, isWanted)}
          onMuted={muted}
        >
          <bdi>{channel.name}</bdi> {channel.status === 'inactive' && <span class="hint">{texts.channelInactive}</span>}
        </SubscriptionRow>
      ))}
    </fieldset>
  );
}
