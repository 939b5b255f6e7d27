import { type Channel, type Place, withSubscription } from '../api/channels.ts';
import { type Device, loadDevices } from '../api/devices.ts';
import { useLoad } from '../api/use-load.ts';
import { deviceLabels } from '../components/device-labels.ts';
import { Onward } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { SubscriptionRow, useSubscribing } from '../components/subscriptions.tsx';
import { whole } from '../format/numbers.ts';
import { usePerson } from '../session.ts';
import '../styles/devices.css';
import { ChannelSearchField, ChannelsGoOn, useChannelSearch } from '../components/channel-search.tsx';
import { Empty, Skeleton } from '../components/loading.tsx';
import { MakeChannel } from '../components/make-channel.tsx';
import { channels as texts } from '../texts/devices.ts';

/** Shows a person's channels, and the devices that get each of them. */
export default function Channels() {
  const workspaces = usePerson()?.workspaces ?? [];
  const slugs = workspaces.map(({ slug }) => slug);
  const channels = useChannelSearch(slugs, { kinds: ['channels', 'devices'] });
  const devices = useLoad('devices', loadDevices, ['devices']);
  const problem = channels.problem ?? devices.problem;
  const data = devices.data === null ? null : channels.data;
  const hasNone = data?.every((of) => of.channels.length === 0) && channels.q === '';
  return (
    <Page title={texts.title}>
      {devices.problem?.kind === 'refused' && <ProblemNote problem={devices.problem} retry={devices.reload} />}
      {problem === null && data === null && <Skeleton label={texts.loading} />}
      {data !== null && devices.data?.length === 0 && <NoDevices />}
      {hasNone && workspaces.length > 0 && (
        <Empty title={texts.noneTitle}>
          <MakeChannel />
        </Empty>
      )}
      {channels.isMany && <ChannelSearchField of={channels} />}
      {data?.map((of) => (
        <OfWorkspace
          key={of.workspace}
          name={workspaces.find(({ slug }) => slug === of.workspace)?.name ?? of.workspace}
          workspace={of.workspace}
          channels={of.channels}
          devices={devices.data ?? []}
          muted={devices.reload}
          changed={(place, isWanted) => channels.patch((before) => withSubscription(before, place, isWanted))}
        />
      ))}
      <ChannelsGoOn of={channels} />
    </Page>
  );
}

interface OfWorkspaceProps {
  readonly name: string;
  readonly workspace: string;
  readonly channels: readonly Channel[];
  readonly devices: readonly Device[];
  readonly changed: (place: Place, isWanted: boolean) => void;
  readonly muted: () => Promise<void>;
}

function OfWorkspace({ name, workspace, channels, devices, changed, muted }: OfWorkspaceProps) {
  if (channels.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2 class="group" dir="auto">
        {name}
      </h2>
      <ul class="list">
        {channels.map((channel) => (
          <ChannelRow key={channel.slug} {...{ workspace, channel, devices, changed, muted }} />
        ))}
      </ul>
      <Onward href={`/w/${workspace}/heartbeats`}>{texts.heartbeats(name)}</Onward>
    </section>
  );
}

interface RowProps extends Omit<OfWorkspaceProps, 'name' | 'channels'> {
  readonly channel: Channel;
}

/** Renders a channel: closed, its devices; open, their switches and mutes. */
function ChannelRow({ workspace, channel, devices, changed, muted }: RowProps) {
  const { name, status, devices: subscribed } = channel;
  const labels = deviceLabels(devices);
  const { isWorking, problem, toggle } = useSubscribing(changed);
  return (
    <li>
      <details class="channel">
        <summary>
          <span class="channel-name" dir="auto">
            {name}
          </span>
          <span class="hint">
            {whereOf(subscribed.length, devices.length)}
            {status === 'inactive' && `, ${texts.inactive}`}
          </span>
        </summary>
        <ProblemNote problem={problem} />
        <fieldset class="choices" aria-label={name}>
          {devices.map((device) => (
            <SubscriptionRow
              key={device.id}
              {...{ device, workspace, channel, isWorking }}
              name={texts.channelOn(name, labels.get(device.id) ?? device.name)}
              onSwitch={(place, isWanted) => void toggle(place, isWanted)}
              onMuted={muted}
            >
              <bdi>{labels.get(device.id)}</bdi>
            </SubscriptionRow>
          ))}
        </fieldset>
      </details>
    </li>
  );
}

function whereOf(count: number, all: number): string {
  if (count === 0) return texts.onNone;
  return count === all ? texts.onAll : texts.onSome(whole(count), whole(all));
}

function NoDevices() {
  return (
    <Empty title={texts.noDevicesTitle}>
      <p>{texts.noDevices}</p>
      <p>
        <a class="link" href="/devices">
          {texts.toDevices}
        </a>
      </p>
    </Empty>
  );
}
