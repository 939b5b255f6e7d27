import { useLiveChannels } from '../../api/channels.ts';
import { Fact } from '../../components/fact.tsx';
import { Onward } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { duration } from '../../format/durations.ts';
import { ChannelActions, useChannelActions } from '../../manage/channels/channel-actions.tsx';
import { quietWords } from '../../manage/channels/quiet-hours.tsx';
import { reminderWords } from '../../manage/channels/reminder-terms.ts';
import { DeviceList } from '../../manage/devices/device-list.tsx';
import { ChannelMaintenance } from '../../manage/maintenance/channel-maintenance.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { quietHours as quiet, reminders, channels as texts } from '../../texts/channels.ts';
import { names } from '../../texts/common.ts';

function ChannelOfWorkspace({ workspace: { slug: workspace }, subject: slug }: ManagedProps) {
  const channels = useLiveChannels(workspace);
  const { data } = channels;
  const [done, say] = useDone(channels.reload);
  const actions = useChannelActions(workspace, say);
  const channel = data?.find((entry) => entry.slug === slug);
  const nameOf = (other: string) => data?.find((entry) => entry.slug === other)?.name ?? other;
  return (
    <Page title={channel?.name ?? slug}>
      <Loading of={channels} label={texts.loading} />
      {data !== null && channel === undefined && <p>{texts.missing}</p>}
      {channel !== undefined && (
        <>
          <article class="paper">
            <dl class="facts">
              {channel.name !== channel.slug && <Fact name={names.slug}>{channel.slug}</Fact>}
              <Fact name={texts.status}>{texts.statuses[channel.status]}</Fact>
              <Fact name={texts.reaches}>{texts.devices(channel.device_count)}</Fact>
              <Fact name={reminders.fact}>
                {channel.insist === null ? reminders.none : reminderWords(channel.insist, nameOf)}
              </Fact>
              <Fact name={quiet.fact}>{channel.quiet === null ? quiet.none : quietWords(channel.quiet)}</Fact>
              {channel.rings !== null && (
                <Fact name={reminders.ringsFact}>
                  {reminders.atMost(channel.rings.at_most, duration(channel.rings.per))}
                </Fact>
              )}
            </dl>
          </article>
          <div class="actions">
            <a class="button" href={`/w/${workspace}/events?channel=${slug}`}>
              {texts.toEvents}
            </a>
            <ChannelActions
              channel={channel}
              onAsk={(what) => actions.ask(what, channel)}
              isSwitching={actions.isSwitching}
            />
          </div>
          <ProblemNote problem={actions.problem} />
          <ChannelMaintenance workspace={workspace} channel={channel} say={say} />
          <h2 class="group">{texts.subscribed}</h2>
          <DeviceList
            workspace={workspace}
            query={{ channel: slug }}
            label={texts.subscribed}
            empty={<p class="about">{texts.noSubscribers}</p>}
          />
        </>
      )}
      {actions.dialog}
      <Onward href={`/w/${workspace}/channels`}>{texts.toAll}</Onward>
      <Notice done={done} />
    </Page>
  );
}

export default managed(ChannelOfWorkspace);
