import './mute-dialog.css';
import { nextEight } from '../alerts/snoozes.ts';
import type { Place } from '../api/channels.ts';
import { FOR_GOOD, type Mute, muteAt, setMute } from '../api/devices.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs, serverNow } from '../clock.ts';
import { times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { mutes as texts } from '../texts/devices.ts';
import { Dialog } from './dialogs/dialog.tsx';
import { Muted } from './muted.tsx';
import { ProblemNote } from './problem-note.tsx';

interface Props {
  readonly place: Place;
  readonly name: string;
  readonly mute: Mute;
  readonly onMuted: () => Promise<void>;
  readonly onClose: () => void;
}

const HOUR_MS = 3_600_000;
/** Null: all levels. */
const LEVELS = [null, 'warning', 'error'] as const;

/** Sets how long a device mutes a channel, and below which level always. Clicks apply at once. */
export function MuteDialog({ place, name, mute, onMuted, onClose }: Props) {
  const time = useShared(nowMs);
  const now = muteAt(mute, time);
  const { isWorking, problem, make } = useChange();
  const change = async (wanted: Partial<Mute>): Promise<void> => {
    if ((await make(() => setMute(place, { ...now, ...wanted }))) === null) return;
    await onMuted();
    onClose();
  };
  const until = (time: Date | string | null) =>
    change({ muted_until: time instanceof Date ? time.toISOString() : time });
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      <p class="dialog-text">
        <Muted mute={now} />
      </p>
      <ProblemNote problem={problem} />
      <div class="mutes">
        {now.muted_until !== null && (
          <button type="button" class="primary" aria-disabled={isWorking} onClick={() => void until(null)}>
            {texts.unmute}
          </button>
        )}
        <button type="button" aria-disabled={isWorking} onClick={() => void until(new Date(serverNow() + HOUR_MS))}>
          {texts.anHour}
        </button>
        <button type="button" aria-disabled={isWorking} onClick={() => void until(nextEight(new Date(serverNow())))}>
          {texts.untilEight(times.since(nextEight(new Date(time)).getTime(), time))}
        </button>
        <button type="button" aria-disabled={isWorking} onClick={() => void until(FOR_GOOD)}>
          {texts.forGood}
        </button>
      </div>
      <h3 class="dialog-group">{texts.atAllTimes}</h3>
      <div class="mutes">
        {LEVELS.map((level) => (
          <button
            key={level}
            type="button"
            aria-pressed={now.min_level === level}
            aria-disabled={isWorking}
            onClick={() => void change({ min_level: level })}
          >
            {level === null ? texts.allLevels : texts.levels[level]}
          </button>
        ))}
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {common.actions.cancel}
        </button>
      </div>
    </Dialog>
  );
}
