import type { Schema } from '../../api/client.ts';
import { nowMs } from '../../clock.ts';
import { duration, timeLeft } from '../../format/durations.ts';
import { msOf, times } from '../../format/time.ts';
import { useShared } from '../../shared.ts';
import { maintenance as texts } from '../../texts/channels.ts';
import { maintenanceOn } from '../../texts/inbox.ts';

interface Props {
  readonly window: Schema<'Maintenance'>;
  readonly isWorking: boolean;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}

/** Shows a window with its next or current times, and leads to its change and end. */
export function WindowRow({ window, isWorking, onChange, onEnd }: Props) {
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
        <p class="entry-meta">
          {details.map((detail) => (
            <span key={detail}>{detail}</span>
          ))}
        </p>
        {note !== null && <p class="entry-meta">{note}</p>}
      </div>
      {(isOn || isPlanned) && (
        <div class="actions">
          <button type="button" aria-label={texts.named(texts.change, words)} onClick={onChange}>
            {texts.change}
          </button>
          <button
            type="button"
            aria-label={texts.named(isPlanned ? texts.cancel : texts.end, words)}
            aria-disabled={isWorking}
            onClick={onEnd}
          >
            {isPlanned ? texts.cancel : texts.end}
          </button>
        </div>
      )}
    </li>
  );
}
