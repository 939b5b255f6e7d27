import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import { type Device, loadDevices } from '../api/devices.ts';
import { useLoad } from '../api/use-load.ts';
import { DeviceCard } from '../components/device-card.tsx';
import { DeviceChannels } from '../components/device-channels.tsx';
import { deviceLabels } from '../components/device-labels.ts';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ThisBrowser } from '../components/this-browser.tsx';
import { kept } from '../push/kept.ts';
import { endThisDevice, lastCheckIn } from '../push/this-device.ts';
import { useShared } from '../shared.ts';
import '../styles/parts.css';
import '../styles/devices.css';
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
