import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { Command } from '../../components/command.tsx';
import { Empty } from '../../components/empty.tsx';
import { LevelMark } from '../../components/level-mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { msOf, times } from '../../format/time.ts';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { texts } from '../../texts/heartbeats.ts';

type Heartbeat = Schema<'Heartbeat'>;

/** What wants a look comes first. */
const ORDER: readonly Heartbeat['state'][] = ['down', 'late', 'new', 'up', 'paused'];
const LEVELS = { down: 'error', late: 'warning', new: 'info', up: 'success', paused: 'info' } as const;

/** Do all jobs report? */
function Heartbeats({ workspace: { slug } }: ManagedProps) {
  const path = { workspace: slug };
  const { data, problem, reload } = useLoad(slug, () => ask('get', '/v1/workspaces/{workspace}/heartbeats', { path }), [
    'heartbeats',
    'inbox',
    'events',
  ]);
  const all = [...(data?.heartbeats ?? [])].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  return (
    <Page title={texts.title}>
      <p class="about">{texts.about}</p>
      {problem?.kind === 'refused' && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && all.length === 0 && (
        <Empty title={texts.emptyTitle}>
          <p>{texts.empty}</p>
          <Command text={texts.add(slug)} />
        </Empty>
      )}
      {all.length > 0 && (
        <ul class="list">
          {all.map((one) => (
            <Entry key={one.slug} workspace={slug} heartbeat={one} reload={reload} />
          ))}
        </ul>
      )}
    </Page>
  );
}

interface EntryProps {
  readonly workspace: string;
  readonly heartbeat: Heartbeat;
  readonly reload: () => Promise<void>;
}

/** Closed it says how it is; open, how the job reports. */
function Entry({ workspace, heartbeat, reload }: EntryProps) {
  const {
    slug,
    name,
    channel,
    state,
    last_ping_at: pinged,
    due_at: due,
    ping_url: url,
    last_output: output,
  } = heartbeat;
  const { isWorking, problem, make } = useChange();
  const isPaused = state === 'paused';
  const toggle = async (): Promise<void> => {
    const path = { workspace, heartbeat: slug };
    const address = `/v1/workspaces/{workspace}/heartbeats/{heartbeat}/${isPaused ? 'resume' : 'pause'}` as const;
    if ((await make(() => change('post', address, { path }))) !== null) await reload();
  };
  return (
    <li>
      <details class="heartbeat">
        <summary class="entry">
          <LevelMark level={LEVELS[state]} />
          <span class="entry-text">
            <bdi class="entry-name">{name}</bdi>
            <span class="entry-meta">
              <span>
                {texts.lastPing} {pinged === null ? texts.never : <Moment at={pinged} dated />}
              </span>
              {due !== null && (
                <span>
                  {texts.due} <time dateTime={due}>{times.exact(msOf(due))}</time>
                </span>
              )}
            </span>
          </span>
          <span class="entry-state">{texts.states[state]}</span>
        </summary>
        <div class="heartbeat-more">
          <p class="hint">
            {texts.channel} <bdi>{channel}</bdi>
          </p>
          {url !== undefined && (
            <>
              <p>{texts.ping}</p>
              <Command text={`curl -fsS -m 10 --retry 5 ${url}`} />
            </>
          )}
          {output !== null && output !== '' && (
            <>
              <p>{texts.output}</p>
              <pre class="heartbeat-output" dir="auto">
                {output}
              </pre>
            </>
          )}
          {problem !== null && <ProblemNote problem={problem} />}
          <button
            type="button"
            disabled={isWorking}
            aria-label={(isPaused ? texts.resumeOf : texts.pauseOf)(name)}
            onClick={() => void toggle()}
          >
            {isPaused ? texts.resume : texts.pause}
          </button>
        </div>
      </details>
    </li>
  );
}

export default managed(Heartbeats);
