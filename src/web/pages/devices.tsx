import '../styles/devices.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import { type Device, loadDevices } from '../api/devices.ts';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { deviceLabels } from '../components/device-labels.ts';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { fieldOf } from '../components/forms/form.ts';
import { Skeleton } from '../components/loading.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { DeviceChannels } from '../components/subscriptions.tsx';
import { ThisBrowser } from '../components/this-browser.tsx';
import { kept } from '../push/kept.ts';
import { endThisDevice, lastCheckIn } from '../push/this-device.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { devices as texts } from '../texts/devices.ts';

/** Lists the person's devices: this browser first, or an offer to add it. */
export default function Devices() {
  const here = useShared(kept)?.id ?? null;
  const { data, problem, reload } = useLoad(`devices ${here}`, loadDevices, ['devices']);
  const own = data?.find(({ id }) => id === here);
  const others = data?.filter(({ id }) => id !== here) ?? [];
  const labels = deviceLabels(data ?? []);
  const labelOf = ({ id, name }: Device) => labels.get(id) ?? name;
  return (
    <Page title={texts.title}>
      {problem?.kind === 'refused' && <ProblemNote problem={problem} retry={reload} />}
      <section aria-labelledby="here">
        <h2 class="group" id="here">
          {texts.here}
        </h2>
        <CheckFailed />
        {own === undefined && (here === null || data !== null) && <ThisBrowser />}
        {own !== undefined && <Here device={own} label={labelOf(own)} reload={reload} />}
      </section>
      {data === null && problem === null && <Skeleton label={texts.loading} rows={2} />}
      {data?.some((device) => labelOf(device) !== device.name) && <p class="hint">{texts.numbered}</p>}
      {data !== null && <Others devices={others} labelOf={labelOf} reload={reload} />}
    </Page>
  );
}

function CheckFailed() {
  const last = useShared(lastCheckIn);
  if (last?.kind !== 'failed') return null;
  const { problem } = last;
  return <ProblemNote problem={{ ...problem, message: `${texts.checkFailed} ${problem.message}` }} />;
}

interface OwnProps {
  readonly device: Device;
  readonly label: string;
  readonly reload: () => Promise<void>;
}

function Here({ device, label, reload }: OwnProps) {
  return (
    <ul>
      <DeviceCard device={device} label={label} reload={reload} remove={endThisDevice}>
        <h4 class="device-channels">{texts.subscribedTo}</h4>
        <DeviceChannels device={device} reload={reload} />
      </DeviceCard>
    </ul>
  );
}

interface OthersProps {
  readonly devices: readonly Device[];
  readonly labelOf: (device: Device) => string;
  readonly reload: () => Promise<void>;
}

function Others({ devices, labelOf, reload }: OthersProps) {
  return (
    <section aria-labelledby="others">
      <h2 class="group" id="others">
        {texts.others}
      </h2>
      {devices.length === 0 && <p class="hint">{texts.noOthers}</p>}
      <ul>
        {devices.map((device) => (
          <DeviceCard
            key={device.id}
            device={device}
            label={labelOf(device)}
            reload={reload}
            remove={() => ask('delete', '/v1/devices/{device}', { path: { device: device.id } })}
          >
            <FoldedChannels device={device} label={labelOf(device)} reload={reload} />
          </DeviceCard>
        ))}
      </ul>
    </section>
  );
}

/** Loads the channels on opening. */
function FoldedChannels({ device, label, reload }: OwnProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="device-channels" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={texts.subscribedToOn(label)}>{texts.subscribedToThere}</summary>
      {isOpen && <DeviceChannels device={device} reload={reload} />}
    </details>
  );
}

interface DeviceCardProps {
  readonly device: Device;
  /** The name, numbered if not unique. */
  readonly label: string;
  readonly remove: () => Promise<Answer<unknown>>;
  readonly reload: () => Promise<void>;
  readonly children?: ComponentChildren;
}

function DeviceCard({ device, label, remove, reload, children }: DeviceCardProps) {
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
          <Button text={texts.test} isWorking={testing.isWorking} onClick={test} />
          <Button text={texts.rename} onClick={() => setRenaming(true)} />
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
        <Button text={common.actions.cancel} onClick={close} />
      </div>
    </form>
  );
}
