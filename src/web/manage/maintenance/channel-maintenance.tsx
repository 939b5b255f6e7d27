import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { nowMs, serverNow } from '../../clock.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Done } from '../../components/toast.tsx';
import { useShared } from '../../shared.ts';
import { maintenance as texts } from '../../texts/channels.ts';
import { MaintenanceForm } from './maintenance-form.tsx';
import { WindowChangeForm } from './window-change-form.tsx';
import { WindowRow } from './window-row.tsx';
import { stateAt } from './window-terms.ts';

type Window = Schema<'Maintenance'>;

interface Props {
  readonly workspace: string;
  readonly channel: Pick<Schema<'Channel'>, 'slug' | 'name'>;
  readonly say: (done: Done | null) => void;
}

/** Shows a channel's current and next maintenance, and starts, plans, changes and ends it. */
export function ChannelMaintenance({ workspace, channel, say }: Props) {
  const { slug, name } = channel;
  const { data, problem, reload } = useLoad(
    `${workspace} ${slug}`,
    () =>
      ask('get', '/v1/workspaces/{workspace}/channels/{channel}/maintenance', { path: { workspace, channel: slug } }),
    ['channels', 'alerts'],
  );
  const [form, open] = useState<'start' | 'plan' | Window | null>(null);
  const ending = useChange();
  const finish = (text: string): void => {
    open(null);
    say({ text });
    void reload();
  };
  const end = async (window: Window): Promise<void> => {
    const ended = await ending.make(() => endWindow(workspace, window));
    if (ended === null) return;
    if (window.state === 'planned') finish(texts.wasCancelled(name));
    else finish((window.cron === null ? texts.wasEnded : texts.occurrenceEnded)(name));
  };
  const now = useShared(nowMs);
  const windows = (data?.windows ?? []).map((window) => ({ ...window, state: stateAt(window, now) }));
  const onClose = (): void => open(null);
  return (
    <>
      <h2 class="group">{texts.heading}</h2>
      <ProblemNote problem={problem ?? ending.problem} retry={reload} />
      <div class="actions">
        <button type="button" onClick={() => open('start')}>
          {texts.start}
        </button>
        <button type="button" onClick={() => open('plan')}>
          {texts.plan}
        </button>
      </div>
      {data !== null && windows.length === 0 && <p class="about">{texts.none}</p>}
      {windows.length > 0 && (
        <ul class="list lines" aria-label={texts.heading}>
          {windows.map((window) => (
            <WindowRow
              key={window.id}
              window={window}
              isWorking={ending.isWorking}
              onChange={() => open(window)}
              onEnd={() => void end(window)}
            />
          ))}
        </ul>
      )}
      {(form === 'start' || form === 'plan') && (
        <MaintenanceForm
          isPlanned={form === 'plan'}
          onDone={() => finish((form === 'plan' ? texts.wasPlanned : texts.wasStarted)(name))}
          {...{ workspace, channel, onClose }}
        />
      )}
      {form !== null && typeof form === 'object' && (
        <WindowChangeForm window={form} onDone={() => finish(texts.wasChanged(name))} {...{ workspace, onClose }} />
      )}
    </>
  );
}

/** Ends a window or cancels it. A window that recurs comes back if an occurrence is ended. */
function endWindow(workspace: string, { id, channel, state, cron }: Window) {
  const path = { workspace, channel, maintenance: id };
  const address = '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}';
  if (state !== 'on' || cron === null) return change('delete', address, { path });
  return change('patch', address, { path, body: { until: new Date(serverNow()).toISOString() } });
}
