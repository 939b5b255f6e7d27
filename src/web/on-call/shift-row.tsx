import type { Schema } from '../api/client.ts';
import { nowMs } from '../clock.ts';
import { msOf } from '../format/time.ts';
import { emailHere } from '../session.ts';
import { useShared } from '../shared.ts';
import { onCall as texts } from '../texts/alerts.ts';
import { spanWords } from './span.ts';

export type ShiftAction = 'take' | 'hand-over' | 'undo';

interface Props {
  readonly shift: Schema<'OnCallShift'>;
  /** The rota's time zone. */
  readonly zone: string;
  readonly isManager: boolean;
  readonly isWorking: boolean;
  readonly onAct: (action: ShiftAction) => void;
}

/** Shows a shift with what this person may do about it. */
export function ShiftRow({ shift: { from, until, person, override }, zone, isManager, isWorking, onAct }: Props) {
  const now = useShared(nowMs);
  const isOwn = person.email === emailHere();
  const span = spanWords(msOf(from), msOf(until), zone, now);
  const button = (action: ShiftAction, text: string) => (
    <button
      type="button"
      aria-label={texts.named(text, `${person.name}, ${span}`)}
      aria-disabled={isWorking}
      onClick={() => onAct(action)}
    >
      {text}
    </button>
  );
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-name" dir="auto">
          {isOwn ? texts.you(person.name) : person.name}
        </p>
        <p class="entry-meta">
          <span>{span}</span>
          {override !== null && <span>{texts.overridden(override.by)}</span>}
        </p>
      </div>
      <div class="actions">
        {!isOwn && button('take', texts.take)}
        {(isOwn || isManager) && button('hand-over', texts.handOver)}
        {override !== null && (isOwn || isManager) && button('undo', texts.undo)}
      </div>
    </li>
  );
}
