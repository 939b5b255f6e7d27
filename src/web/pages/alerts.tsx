import { useSettled } from '../alerts/alert-actions.tsx';
import { AlertList, LiveAlerts } from '../alerts/alert-list.tsx';
import { undoable } from '../alerts/undo-toast.tsx';
import { type Alert, type AlertPage, acknowledge, liveAlerts, loadAlerts } from '../api/alerts.ts';
import { ask } from '../api/ask.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad, usePages } from '../api/use-load.ts';
import { nowMs } from '../clock.ts';
import { Button } from '../components/button.tsx';
import { Empty, Skeleton } from '../components/loading.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { statusWords } from '../on-call/status-words.ts';
import { useShared } from '../shared.ts';
import { useEventKeys } from '../shell/keys.ts';
import { onCall as onCallTexts, alerts as texts, undo as undoTexts } from '../texts/alerts.ts';
import { workspaceLabel } from '../workspace-names.ts';

export default function AlertsPage() {
  const live = useShared(liveAlerts);
  useEventKeys();
  const { data = null, problem = null, reload = () => undefined } = live ?? {};
  const isRefused = problem?.kind === 'refused' || problem?.kind === 'missing';
  return (
    <Page title={texts.title}>
      {isRefused && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && <TakeAll alerts={data.alerts} />}
      {data !== null && <LiveAlerts page={data} />}
      {data?.alerts.length === 0 && (
        <Empty title={texts.none}>
          <p>{texts.noneText}</p>
        </Empty>
      )}
      <OnCallNow />
      <Earlier isShown={data !== null || problem !== null} />
    </Page>
  );
}

/** Acknowledges a channel's shown alerts and all older ones. */
function TakeAll({ alerts }: { readonly alerts: readonly Alert[] }) {
  const { isWorking, problem, make } = useChange();
  const channels = new Map<string, Alert[]>();
  for (const alert of alerts.filter(({ state }) => state === 'open')) {
    const name = `${alert.workspace}/${alert.channel}`;
    channels.set(name, [...(channels.get(name) ?? []), alert]);
  }
  // Sorted by name, so new alerts move no button.
  const several = [...channels.entries()].filter(([, { length }]) => length > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  const { isSettled } = useSettled(several.map(([name]) => name).join(' '));
  const takeAll = async ({ id, channel_name }: Alert): Promise<void> => {
    const reload = () => liveAlerts.value?.reload();
    const done = await make(() => acknowledge(id, { all: true }));
    if (done !== null) undoable.value = { text: undoTexts.takenAll(channel_name), id, reload };
    await reload();
  };
  if (several.length === 0) return null;
  return (
    <>
      <ProblemNote problem={problem} />
      <div class="actions">
        {several.map(([name, [newest, ...others]]) =>
          newest === undefined ? null : (
            <Button
              key={name}
              text={texts.takeAll(others.length + 1, placeOf(newest))}
              isWorking={isWorking || !isSettled}
              onClick={() => isSettled && void takeAll(newest)}
            />
          ),
        )}
      </div>
    </>
  );
}

function placeOf({ channel_name, workspace }: Alert): string {
  return [channel_name, workspaceLabel(workspace)].filter(Boolean).join(' · ');
}

/** Lists ended alerts. `isShown`: the page above is complete and moves no more. */
function Earlier({ isShown }: { readonly isShown: boolean }) {
  const alerts = usePages(
    'ended',
    (before) => loadAlerts('ended', before),
    (page: AlertPage) => page.alerts,
    ['alerts', 'inbox'],
  );
  const { first, problem } = alerts;
  if (!isShown) return null;
  if (first === null) return problem?.kind === 'refused' ? <ProblemNote problem={problem} /> : null;
  return (
    <>
      <AlertList title={texts.earlier} alerts={alerts.rows} />
      <ProblemNote problem={problem} />
      {alerts.hasMore && (
        <div class="end">
          <Button text={texts.showEarlier} isWorking={alerts.isLoadingMore} onClick={alerts.more} />
        </div>
      )}
    </>
  );
}

/** Says for each rota of the person's workspaces who is on call, and leads to its page. Nothing without a rota. */
function OnCallNow() {
  const { data } = useLoad('on-call', () => ask('get', '/v1/on-call', {}), ['on_call']);
  const now = useShared(nowMs);
  if (data === null || data.rotas.length === 0) return null;
  return (
    <section aria-label={onCallTexts.onAlerts}>
      <h2 class="group">{onCallTexts.onAlerts}</h2>
      <ul class="list">
        {data.rotas.map((rota) => (
          <li key={`${rota.workspace}/${rota.slug}`} class="row">
            <a href="/on-call" dir="auto">
              {onCallTexts.ofRota(
                [rota.name, workspaceLabel(rota.workspace)].filter(Boolean).join(' · '),
                statusWords(rota, now),
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
