import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Device } from '../api/devices.ts';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { common } from '../texts/common.ts';
import { devices as texts } from '../texts/devices.ts';
import { ConfirmButton } from './dialogs/confirm-button.tsx';
import { fieldOf } from './forms/form.ts';
import { Moment } from './moment.tsx';
import { ProblemNote } from './problem-note.tsx';

interface Props {
  readonly device: Device;
  /** The name, numbered if not unique. */
  readonly label: string;
  readonly remove: () => Promise<Answer<unknown>>;
  readonly reload: () => Promise<void>;
  readonly children?: ComponentChildren;
}

export function DeviceCard({ device, label, remove, reload, children }: Props) {
  const [isRenaming, setRenaming] = useState(false);
  const [isTested, setTested] = useState(false);
  const testing = useChange();
  const path = { device: device.id };
  const test = async (): Promise<void> => {
    setTested(false);
    setTested((await testing.make(() => ask('post', '/v1/devices/{device}/test', { path }))) !== null);
  };
  return (
    <li class="paper own-device">
      <h3 dir="auto">{label}</h3>
      <Facts device={device} />
      <ProblemNote problem={testing.problem} />
      <p class="hint" role="status">
        {isTested && texts.tested}
      </p>
      {isRenaming && (
        <Rename device={device} close={() => setRenaming(false)} save={() => reload().then(() => setRenaming(false))} />
      )}
      {!isRenaming && (
        <div class="actions">
          <button type="button" aria-disabled={testing.isWorking} onClick={() => void test()}>
            {texts.test}
          </button>
          <button type="button" onClick={() => setRenaming(true)}>
            {texts.rename}
          </button>
          <ConfirmButton label={texts.remove} question={texts.removeQuestion(label)} act={remove} reload={reload}>
            {texts.removeText}
          </ConfirmButton>
        </div>
      )}
      {children}
    </li>
  );
}

function Facts({ device }: { readonly device: Device }) {
  const { platform, push_service, app, status, inactive_reason, registered_at, subscriptions } = device;
  const { last_shown_at: shownAt, not_showing_since: silentSince } = device;
  const count = subscriptions.length;
  return (
    <>
      <p class="event-meta">
        <span>{texts.platforms[platform]}</span>
        {push_service !== null && <span>{push_service}</span>}
        {app !== null && <span>{app}</span>}
        <span>{texts.channels(count)}</span>
        <span>
          {texts.seen} <Moment at={registered_at} />
        </span>
        {shownAt !== null && (
          <span>
            {texts.lastShown} <Moment at={shownAt} />
          </span>
        )}
      </p>
      {shownAt !== null && <p class="hint">{texts.managersSee}</p>}
      {status === 'active' && silentSince !== null && (
        <p class="note note-problem">
          {texts.notShowing} <Moment at={silentSince} />. {texts.notShowingFix}
        </p>
      )}
      {status === 'inactive' && <p class="note note-problem">{texts.inactive(inactive_reason)}</p>}
    </>
  );
}

interface RenameProps {
  readonly device: Device;
  readonly close: () => void;
  readonly save: () => Promise<void>;
}

function Rename({ device, close, save }: RenameProps) {
  const { isWorking, problem, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const input = { path: { device: device.id }, body: { name: fieldOf(event, 'name') } };
    const made = await make(() => ask('patch', '/v1/devices/{device}', input));
    if (made !== null) await save();
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <label>
        {texts.name}
        <input name="name" required maxLength={255} defaultValue={device.name} ref={(input) => input?.focus()} />
      </label>
      <ProblemNote problem={problem} />
      <div class="actions">
        <button class="primary" type="submit" aria-disabled={isWorking}>
          {common.actions.save}
        </button>
        <button type="button" onClick={close}>
          {common.actions.cancel}
        </button>
      </div>
    </form>
  );
}
