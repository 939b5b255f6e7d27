import '../../overview/overview.css';
import { useEffect, useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { nowMs } from '../../clock.ts';
import { Button } from '../../components/button.tsx';
import { Choice, FilterBar, useFilters } from '../../components/filters.tsx';
import { RenameDialog } from '../../components/forms/form-dialog.tsx';
import { LevelMark } from '../../components/level-mark.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { latencyText } from '../../format/durations.ts';
import { whole } from '../../format/numbers.ts';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { Channels, Failures, NotShowing, Routes, Unreachable } from '../../overview/breakdown.tsx';
import { Plots } from '../../overview/plots.tsx';
import { stateOf } from '../../overview/state.ts';
import { session, type Workspace } from '../../session.ts';
import { useShared } from '../../shared.ts';
import { type Period, overview as texts } from '../../texts/workspace.ts';

/** Shows whether everything works, and otherwise what to do. */
function Overview({ workspace }: ManagedProps) {
  const { slug } = workspace;
  const filters = useFilters(['since']);
  const period = Object.keys(texts.periods).find((name) => name === filters.values.since) as Period | undefined;
  const since = period ?? '24h';
  const by = since === '24h' || since === '7d' ? 'hour' : 'day';
  const loaded = useLoad(
    `${slug} ${since}`,
    () => ask('get', '/v1/workspaces/{workspace}/stats', { path: { workspace: slug }, query: { since, by } }),
    ['events', 'routes', 'usage', 'devices'],
  );
  const { data, reload } = loaded;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reload is always the latest
  useEffect(() => nowMs.listen(() => void reload()), []);
  return (
    <Page
      title={texts.title}
      actions={
        <FilterBar label={texts.period} onSubmit={filters.submit}>
          <Choice name="since" label={texts.period} value={since} options={texts.periods} />
        </FilterBar>
      }
    >
      <Loading of={loaded} label={texts.loading} />
      {data !== null && (
        <>
          <Sentence workspace={workspace} answer={data} period={since} />
          <Figures stats={data.stats} />
          <Plots stats={data.stats} by={by} />
          <Unreachable workspace={slug} stats={data.stats} />
          <NotShowing workspace={slug} stats={data.stats} />
          <Failures stats={data.stats} />
          <Routes {...data} />
          <Channels workspace={slug} stats={data.stats} />
          {workspace.role === 'owner' && <Rename workspace={workspace} />}
        </>
      )}
    </Page>
  );
}

interface SentenceProps {
  readonly workspace: Workspace;
  readonly answer: Schema<'StatisticsAnswer'>;
  readonly period: Period;
}

function Sentence({ workspace, answer: { stats, paused_routes, stopped }, period }: SentenceProps) {
  const { events, totals, waiting, usage, not_showing, on_call_unreachable } = stats;
  const facts = {
    workspace,
    period,
    events,
    ...totals,
    notShowing: not_showing.count,
    unreachable: on_call_unreachable.count,
    waiting,
    pausedRoutes: paused_routes,
    stopped,
    usage: usage[0],
  };
  const { level, sentence, advice, see } = stateOf(facts, useShared(nowMs));
  return (
    <div class="state" role="status">
      <LevelMark level={level} />
      <div>
        <p class="state-sentence">{sentence}</p>
        <p class="state-advice">
          {advice}{' '}
          {see !== undefined && (
            <a class="link" href={placeOf(see, workspace.slug)}>
              {texts.see[see]}
            </a>
          )}
        </p>
      </div>
    </div>
  );
}

function placeOf(see: keyof typeof texts.see, workspace: string): string {
  const places = {
    failures: '#failures',
    notShowing: '#not-showing',
    unreachable: '#unreachable',
    inactive: `/w/${workspace}/devices?status=inactive`,
  };
  return places[see];
}

export default managed(Overview);

type Stats = Schema<'StatisticsAnswer'>['stats'];

function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <dl class="figures">
      {figuresOf(stats).map(([what, figure]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd class="num">{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf({ events, totals, waiting, latency, usage }: Stats) {
  const waits = waiting.reduce((sum, { pushes }) => sum + pushes, 0);
  const figures: (readonly [what: string, figure: string])[] = [
    [texts.figures.events, whole(events)],
    [texts.figures.accepted, whole(totals.accepted)],
    [texts.figures.waiting, whole(waits)],
    [texts.figures.failed, whole(totals.failed)],
    [texts.figures.latency, latencyText(latency)],
  ];
  const [month] = usage;
  if (month === undefined) return figures;
  const { monthly_event_allowance: allowance, used, forecast } = month;
  const thisMonth =
    allowance === null
      ? texts.figures.unlimited(Math.round(forecast))
      : texts.figures.ofAllowance(allowance, Math.round(forecast));
  return [...figures, [thisMonth, whole(used)] as const];
}

/** Lets owners rename the workspace, not its slug. */
function Rename({ workspace: { slug, name } }: { readonly workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button text={texts.rename.open} onClick={() => setOpen(true)} />
      {isOpen && (
        <RenameDialog
          title={texts.rename.title(name)}
          label={texts.rename.name}
          hint={texts.rename.hint(slug)}
          action={texts.rename.open}
          name={name}
          call={(given) =>
            change('patch', '/v1/workspaces/{workspace}', { path: { workspace: slug }, body: { name: given } })
          }
          onDone={() => {
            close();
            void session.check();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
