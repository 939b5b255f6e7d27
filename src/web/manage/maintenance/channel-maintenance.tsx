import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { nowMs } from '../../clock.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { msOf, times } from '../../format/time.ts';
import { timeLeft } from '../../maintenance/time-left.ts';
import { useShared } from '../../shared.ts';
import { texts } from '../../texts/maintenance.ts';
import type { Done } from '../notice.tsx';
import { MaintenanceForm } from './maintenance-form.tsx';

type Window = Schema<'Maintenance'>;

interface Props {
  readonly workspace: string;
  readonly channel: Pick<Schema<'Channel'>, 'slug' | 'name'>;
  readonly say: (done: Done | null) => void;
}

/** Shows a channel's current and next maintenance, and starts and ends it. */
export function ChannelMaintenance({ workspace, channel, say }: Props) {
  const { slug, name } = channel;
  const { data, problem, reload } = useLoad(
    `${workspace} ${slug}`,
    () =>
      ask('get', '/v1/workspaces/{workspace}/channels/{channel}/maintenance', { path: { workspace, channel: slug } }),
    ['channels', 'alerts'],
  );
  const [isOpen, setIsOpen] = useState(false);
  const ending = useChange();
  const finish = (text: string): void => {
    setIsOpen(false);
    say({ text });
    void reload();
  };
  const end = async ({ id, state }: Window): Promise<void> => {
    const path = { workspace, channel: slug, maintenance: id };
    const address = '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}';
    if ((await ending.make(() => change('delete', address, { path }))) === null) return;
    finish(state === 'planned' ? texts.wasCancelled(name) : texts.wasEnded(name));
  };
  const windows = data?.windows ?? [];
  return (
    <>
      <h2 class="group">{texts.heading}</h2>
      <ProblemNote problem={problem ?? ending.problem} retry={reload} />
      <div class="actions">
        <button type="button" onClick={() => setIsOpen(true)}>
          {texts.start}
        </button>
      </div>
      {data !== null && windows.length === 0 && <p class="about">{texts.none}</p>}
      {windows.length > 0 && (
        <ul class="list lines" aria-label={texts.heading}>
          {windows.map((window) => (
            <WindowRow key={window.id} window={window} isWorking={ending.isWorking} onEnd={() => void end(window)} />
          ))}
        </ul>
      )}
      {isOpen && (
        <MaintenanceForm
          onDone={() => finish(texts.wasStarted(name))}
          onClose={() => setIsOpen(false)}
          {...{ workspace, channel }}
        />
      )}
    </>
  );
}

interface RowProps {
  readonly window: Window;
  readonly isWorking: boolean;
  readonly onEnd: () => void;
}

function WindowRow({ window, isWorking, onEnd }: RowProps) {
  const now = useShared(nowMs);
  const { state, channel_name: channel, by, only, note, cron, timezone } = window;
  const [fromMs, untilMs] = [msOf(window.from), msOf(window.until)];
  const isOn = state === 'on' && untilMs > now;
  const until = times.since(untilMs, now);
  const details = [
    ...(isOn ? [texts.left(timeLeft(untilMs - now))] : []),
    ...(only === null ? [] : [texts.onlyFor(only)]),
    ...(cron === null || timezone === null ? [] : [texts.recurs(cron, timezone)]),
    texts.by(by),
  ];
  const isPlanned = state === 'planned';
  const words = isOn
    ? texts.onUntil(until)
    : isPlanned
      ? texts.plannedFor(times.since(fromMs, now), until)
      : texts.over;
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-name">{words}</p>
        <p class="entry-meta">
          {details.map((detail) => (
            <span key={detail}>{detail}</span>
          ))}
        </p>
        {note !== null && <p class="entry-meta">{note}</p>}
      </div>
      {(isOn || isPlanned) && (
        <button
          type="button"
          aria-label={(isPlanned ? texts.cancelNamed : texts.endNamed)(channel)}
          aria-disabled={isWorking}
          onClick={onEnd}
        >
          {isPlanned ? texts.cancel : texts.end}
        </button>
      )}
    </li>
  );
}
