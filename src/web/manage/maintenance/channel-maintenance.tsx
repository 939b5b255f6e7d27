import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { nowMs, serverNow } from '../../clock.ts';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/forms/fields.tsx';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Done } from '../../components/toast.tsx';
import { duration, timeLeft } from '../../format/durations.ts';
import { msOf, times } from '../../format/time.ts';
import { useShared } from '../../shared.ts';
import { maintenance as texts } from '../../texts/channels.ts';
import { maintenanceOn } from '../../texts/inbox.ts';
import { Meta } from '../line.tsx';
import { changesOf, stateAt, windowOf } from '../terms.ts';
import { OnceFields, RecurrenceFields, TextFields, TimesFields } from './window-fields.tsx';

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
        <Button text={texts.start} onClick={() => open('start')} />
        <Button text={texts.plan} onClick={() => open('plan')} />
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

interface WindowRowProps {
  readonly window: Schema<'Maintenance'>;
  readonly isWorking: boolean;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}

/** Shows a window with its next or current times, and leads to its change and end. */
function WindowRow({ window, isWorking, onChange, onEnd }: WindowRowProps) {
  const now = useShared(nowMs);
  const { state, by, only, note, cron, timezone } = window;
  const [fromMs, untilMs] = [msOf(window.from), msOf(window.until)];
  const isOn = state === 'on';
  const isPlanned = state === 'planned';
  const isWithinDay = isPlanned && times.date(fromMs) === times.date(untilMs);
  const until = isWithinDay ? times.clock(untilMs) : times.since(untilMs, now);
  const planned = cron === null ? texts.plannedFor : texts.nextFor;
  const words = isOn ? texts.onUntil(until) : isPlanned ? planned(times.since(fromMs, now), until) : texts.over;
  const details = [
    ...(isOn ? [maintenanceOn.left(timeLeft(untilMs - now))] : []),
    ...(cron === null || timezone === null ? [] : [texts.recurs(cron, timezone), duration(window.for ?? 0)]),
    ...(only === null ? [] : [maintenanceOn.onlyFor(only)]),
    texts.by(by),
  ];
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-name">{words}</p>
        <Meta parts={details} />
        {note !== null && <p class="entry-meta">{note}</p>}
      </div>
      {(isOn || isPlanned) && (
        <div class="actions">
          <Button text={texts.change} named={texts.named(texts.change, words)} onClick={onChange} />
          <Button
            text={isPlanned ? texts.cancel : texts.end}
            named={texts.named(isPlanned ? texts.cancel : texts.end, words)}
            isWorking={isWorking}
            onClick={onEnd}
          />
        </div>
      )}
    </li>
  );
}

interface MaintenanceFormProps {
  readonly workspace: string;
  readonly channel: Pick<Schema<'Channel'>, 'slug' | 'name'>;
  /** Whether it starts later, or recurs. */
  readonly isPlanned: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Starts a channel's maintenance, or plans it. */
function MaintenanceForm({ workspace, channel: { slug, name }, isPlanned, onDone, onClose }: MaintenanceFormProps) {
  const [isRecurring, setIsRecurring] = useState(false);
  const send = (form: FormData) => {
    const path = { workspace, channel: slug };
    return change('post', '/v1/workspaces/{workspace}/channels/{channel}/maintenance', { path, body: windowOf(form) });
  };
  return (
    <FormDialog
      title={(isPlanned ? texts.planTitle : texts.title)(name)}
      about={texts.about}
      label={isPlanned ? texts.savePlan : texts.save}
      {...{ send, onDone, onClose }}
    >
      {isPlanned && (
        <SelectField
          label={texts.repeats}
          of={texts.repetitions}
          chosen={isRecurring ? 'cron' : 'once'}
          onChoose={(value) => setIsRecurring(value === 'cron')}
        />
      )}
      {isRecurring ? <RecurrenceFields /> : <OnceFields isPlanned={isPlanned} />}
      <TextFields />
    </FormDialog>
  );
}

interface WindowChangeFormProps {
  readonly workspace: string;
  readonly window: Schema<'Maintenance'>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Changes a maintenance window. Once it is on, its start and `only` are fixed. */
function WindowChangeForm({ workspace, window, onDone, onClose }: WindowChangeFormProps) {
  const isRecurring = window.cron !== null;
  const send = (form: FormData) => {
    const path = { workspace, channel: window.channel, maintenance: window.id };
    const address = '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}';
    return change('patch', address, { path, body: changesOf(form, window) });
  };
  return (
    <FormDialog title={texts.changeTitle(window.channel_name)} label={texts.saveChange} {...{ send, onDone, onClose }}>
      {(!isRecurring || window.state === 'on') && <TimesFields window={window} />}
      {isRecurring && <RecurrenceFields window={window} />}
      <TextFields window={window} />
    </FormDialog>
  );
}
