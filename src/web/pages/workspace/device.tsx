import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { NOTHING } from '../../api/devices.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { ChannelSearchField, ChannelsGoOn, useChannelSearch } from '../../components/channel-search.tsx';
import { Fact, KeyFact } from '../../components/fact.tsx';
import { Onward } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Muted } from '../../components/subscriptions.tsx';
import { breakable } from '../../manage/line.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { platforms } from '../../texts/inbox.ts';
import { devices as texts } from '../../texts/members.ts';

type Device = Schema<'WorkspaceDevice'>;

function DeviceOfWorkspace({ workspace: { slug }, subject: id }: ManagedProps) {
  const path = { workspace: slug, device: id };
  const loaded = useLoad(id, () => ask('get', '/v1/workspaces/{workspace}/devices/{device}', { path }), ['devices']);
  const device = loaded.data?.device;
  return (
    <Page title={device?.name ?? texts.device}>
      <Loading of={loaded} label={texts.device} />
      {device !== undefined && (
        <>
          <article class="paper">
            <DeviceFacts workspace={slug} device={device} />
          </article>
          <Subscriptions workspace={slug} device={device} reload={loaded.reload} />
        </>
      )}
      <Onward href={`/w/${slug}/devices`}>{texts.toAll}</Onward>
    </Page>
  );
}

function DeviceFacts({ workspace, device }: { readonly workspace: string; readonly device: Device }) {
  const { email, platform, push_service, environment, status, inactive_reason, registered_at, id } = device;
  const { last_shown_at: shownAt, not_showing_since: silentSince } = device;
  const platformParts = [platforms[platform], push_service, environment === 'sandbox' ? texts.sandbox : null];
  const state = status === 'active' ? [texts.active] : [texts.inactive, inactive_reason];
  return (
    <dl class="facts">
      <Fact name={texts.person}>
        <a class="link" href={`/w/${workspace}/members/${encodeURIComponent(email)}`}>
          {breakable(email)}
        </a>
      </Fact>
      <Fact name={texts.platform}>{platformParts.filter(Boolean).join(', ')}</Fact>
      <Fact name={texts.status}>{state.filter(Boolean).join(': ')}</Fact>
      <Fact name={texts.seen}>
        <Moment at={registered_at} dated />
      </Fact>
      {shownAt !== null && (
        <Fact name={texts.lastShown}>
          <Moment at={shownAt} dated />
        </Fact>
      )}
      {status === 'active' && silentSince !== null && (
        <Fact name={texts.notShowing}>
          <Moment at={silentSince} dated />
        </Fact>
      )}
      <KeyFact name={texts.id} value={id} />
    </dl>
  );
}

interface SubscriptionsProps {
  readonly workspace: string;
  readonly device: Device;
  readonly reload: () => Promise<void>;
}

function Subscriptions({ workspace, device, reload }: SubscriptionsProps) {
  const search = useChannelSearch([workspace]);
  const channels = search.data?.flatMap((of) => of.channels) ?? [];
  const { isWorking, problem, make } = useChange();
  const muteOf = (channel: string) => device.mutes.find((mute) => mute.channel === channel) ?? NOTHING;
  const toggle = async (channel: string, isWanted: boolean): Promise<void> => {
    const input = { path: { workspace, device: device.id, channel } };
    const method = isWanted ? 'put' : 'delete';
    const address = '/v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}';
    await make(async () => {
      const answer = await change(method, address, input);
      await reload();
      return answer;
    });
  };
  return (
    <fieldset class="choices">
      <legend class="group">{texts.subscriptions}</legend>
      <ProblemNote problem={problem} />
      {search.isMany && <ChannelSearchField of={search} />}
      {search.data !== null && channels.length === 0 && search.q === '' && <p class="about">{texts.noChannels}</p>}
      {channels.map(({ slug, name }) => (
        <label key={slug}>
          <input
            type="checkbox"
            checked={device.channels.includes(slug)}
            aria-disabled={isWorking}
            onChange={({ currentTarget }) => void toggle(slug, currentTarget.checked)}
          />
          <span>
            <bdi>{name}</bdi> <Muted mute={muteOf(slug)} />
          </span>
        </label>
      ))}
      <ChannelsGoOn of={search} />
    </fieldset>
  );
}

export default managed(DeviceOfWorkspace);
