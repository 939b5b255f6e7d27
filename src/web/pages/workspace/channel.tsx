import { useState } from 'preact/hooks';
import { Fact } from '../../components/fact.tsx';
import { Onward } from '../../components/onward.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { insistWords } from '../../manage/channels/insist-words.ts';
import { QuietForm } from '../../manage/channels/quiet-form.tsx';
import { quietWords } from '../../manage/channels/quiet-words.ts';
import { DeviceList } from '../../manage/devices/device-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { useLiveChannels } from '../../manage/use-channels.ts';
import { texts as quiet } from '../../texts/quiet-hours.ts';
import { texts } from '../../texts/workspace-channels.ts';

/** One channel: its state, and the devices that it goes to. */
function ChannelOfWorkspace({ workspace: { slug: workspace }, one: slug }: ManagedProps) {
  const { data, problem, reload } = useLiveChannels(workspace);
  const [isOpen, setOpen] = useState(false);
  const channel = data?.find((one) => one.slug === slug);
  const nameOf = (other: string) => data?.find((one) => one.slug === other)?.name ?? other;
  return (
    <Page title={channel?.name ?? slug}>
      <ProblemNote problem={problem} retry={reload} />
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && channel === undefined && <p>{texts.missing}</p>}
      {channel !== undefined && (
        <>
          <article class="paper">
            <dl class="facts">
              {channel.name !== channel.slug && <Fact name={texts.slug}>{channel.slug}</Fact>}
              <Fact name={texts.status}>{texts.statuses[channel.status]}</Fact>
              <Fact name={texts.reaches}>{texts.devices(channel.device_count)}</Fact>
              <Fact name={texts.insists}>
                {channel.insist === null ? texts.no : insistWords(channel.insist, nameOf)}
              </Fact>
              <Fact name={quiet.fact}>{channel.quiet === null ? quiet.none : quietWords(channel.quiet)}</Fact>
            </dl>
          </article>
          <div class="actions">
            <a class="button" href={`/w/${workspace}/events?channel=${slug}`}>
              {texts.toEvents}
            </a>
            <button type="button" onClick={() => setOpen(true)}>
              {quiet.open}
            </button>
          </div>
          {isOpen && (
            <QuietForm
              workspace={workspace}
              channel={channel}
              onDone={() => void reload().then(() => setOpen(false))}
              onClose={() => setOpen(false)}
            />
          )}
          <h2 class="group">{texts.subscribed}</h2>
          <DeviceList
            workspace={workspace}
            query={{ channel: slug }}
            label={texts.subscribed}
            empty={<p class="about">{texts.noSubscribers}</p>}
          />
        </>
      )}
      <Onward href={`/w/${workspace}/channels`}>{texts.toAll}</Onward>
    </Page>
  );
}

export default managed(ChannelOfWorkspace);
