import { type Alert, acknowledge } from '../api/alerts.ts';
import { useChange } from '../api/use-change.ts';
import { Field, Options } from '../components/forms/fields.tsx';
import { dataOf } from '../components/forms/form.ts';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { alerts as texts } from '../texts/alerts.ts';
import { secondsOf } from './snoozes.ts';

interface Props {
  readonly id: string;
  /** Whether the user had time to see the alert's state. */
  readonly isSettled: boolean;
  readonly onDone: (alert: Alert) => void;
  /** The alert may have changed meanwhile. */
  readonly onFailed: () => unknown;
  readonly onClose: () => void;
}

/** Asks for another snooze time than the buttons'. */
export function SnoozeDialog({ id, isSettled, onDone, onFailed, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    if (!isSettled) return;
    const forS = secondsOf(dataOf(event));
    const done = await make(() => acknowledge(id, { forS }));
    if (done === null) {
      onFailed();
      return;
    }
    onClose();
    onDone(done.data);
  };
  return (
    <FormDialog
      title={texts.snoozeTitle}
      label={texts.snooze}
      onSubmit={submit}
      isWorking={isWorking || !isSettled}
      {...{ problem, onClose }}
    >
      <div class="field-pair">
        <Field label={texts.snoozeFor} hint={texts.snoozeHint} error={problem?.fields.for}>
          <input name="count" type="number" inputMode="numeric" required min={1} max={1_440} defaultValue="45" />
        </Field>
        <Field label={texts.snoozeUnit}>
          <select name="unit">
            <Options of={texts.snoozeUnits} />
          </select>
        </Field>
      </div>
    </FormDialog>
  );
}
