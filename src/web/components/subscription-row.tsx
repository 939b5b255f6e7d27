import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Channel, type Place, subscribe } from '../api/channels.ts';
import { type Device, muteOf } from '../api/devices.ts';
import { useChange } from '../api/use-change.ts';
import { mutes as texts } from '../texts/devices.ts';
import { MuteDialog } from './mute-dialog.tsx';
import { Muted } from './muted.tsx';

interface Props {
  readonly device: Device;
  readonly workspace: string;
  readonly channel: Channel;
  readonly name: string;
  /** Whether any switch is being moved. */
  readonly isWorking: boolean;
  readonly onSwitch: (place: Place, isWanted: boolean) => void;
  readonly onMuted: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function SubscriptionRow({ device, workspace, channel, name, isWorking, onSwitch, onMuted, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const place = { device: device.id, workspace, channel: channel.slug };
  const isSubscribed = channel.devices.includes(device.id);
  const mute = muteOf(device, place);
  return (
    <div class="choice">
      <label>
        <input
          type="checkbox"
          checked={isSubscribed}
          aria-disabled={isWorking}
          onChange={({ currentTarget }) => onSwitch(place, currentTarget.checked)}
        />
        <span>
          {children} {isSubscribed && <Muted mute={mute} />}
        </span>
      </label>
      {isSubscribed && (
        <button type="button" aria-label={texts.title(name)} onClick={() => setOpen(true)}>
          {texts.mute}
        </button>
      )}
      {isOpen && <MuteDialog {...{ place, name, mute, onMuted }} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Subscribes or unsubscribes devices as switched. Calls `changed` afterwards. */
export function useSubscribing(changed: (place: Place, isWanted: boolean) => void) {
  const { isWorking, problem, make } = useChange();
  const toggle = async (place: Place, isWanted: boolean): Promise<void> => {
    if ((await make(() => subscribe(place, isWanted))) !== null) changed(place, isWanted);
  };
  return { isWorking, problem, toggle };
}
