import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { nextEight } from '../alerts/snoozes.ts';
import { type Channel, type Place, subscribe, type WorkspaceChannels, withSubscription } from '../api/channels.ts';
import { type Device, FOR_GOOD, isForGood, type Mute, muteAt, muteOf, setMute } from '../api/devices.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs, serverNow } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { usePerson } from '../session.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { devices as deviceTexts, mutes as texts } from '../texts/devices.ts';
import { Button } from './button.tsx';
import { ChannelSearchField, ChannelsGoOn, useChannelSearch } from './channel-search.tsx';
import { Dialog } from './dialogs/dialog.tsx';
import { Skeleton } from './loading.tsx';
import { MakeChannel } from './make-channel.tsx';
import { ProblemNote } from './problem-note.tsx';

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
      {isSubscribed && <Button text={texts.mute} named={texts.title(name)} onClick={() => setOpen(true)} />}
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

/** Tells what a device misses of a channel and until when, if anything. */
export function Muted({ mute }: { readonly mute: Mute }) {
  const now = useShared(nowMs);
  const words = mutedWords(muteAt(mute, now), now);
  return words === null ? null : <span class="hint muted">{words}</span>;
}

function mutedWords({ min_level, muted_until }: Mute, now: number): string | null {
  const level = min_level === null ? null : texts.levels[min_level];
  if (muted_until === null) return level;
  if (isForGood(muted_until)) return texts.untilFurtherNotice;
  const until = texts.until(times.since(msOf(muted_until), now));
  return level === null ? until : texts.afterwards(until, level);
}

interface MuteDialogProps {
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
function MuteDialog({ place, name, mute, onMuted, onClose }: MuteDialogProps) {
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
          <Button text={texts.unmute} class="primary" isWorking={isWorking} onClick={() => until(null)} />
        )}
        <Button text={texts.anHour} isWorking={isWorking} onClick={() => until(new Date(serverNow() + HOUR_MS))} />
        <Button
          text={texts.untilEight(times.since(nextEight(new Date(time)).getTime(), time))}
          isWorking={isWorking}
          onClick={() => until(nextEight(new Date(serverNow())))}
        />
        <Button text={texts.forGood} isWorking={isWorking} onClick={() => until(FOR_GOOD)} />
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
        <Button text={common.actions.cancel} onClick={onClose} />
      </div>
    </Dialog>
  );
}

interface DeviceChannelsProps {
  readonly device: Device;
  readonly reload: () => Promise<void>;
}

export function DeviceChannels({ device, reload: reloadDevice }: DeviceChannelsProps) {
  const { id } = device;
  const workspaces = usePerson()?.workspaces ?? [];
  const slugs = workspaces.map(({ slug }) => slug);
  const search = useChannelSearch(slugs, { kinds: ['channels', 'devices'] });
  const { data, problem, patch } = search;
  if (data === null && problem !== null) return <ProblemNote problem={problem} retry={search.reload} />;
  if (data === null) return <Skeleton label={deviceTexts.subscribedTo} rows={2} />;
  const all = data.flatMap(({ channels }) => channels);
  if (all.length === 0 && search.q === '') return <MakeChannel />;
  return (
    <>
      {search.isMany && <ChannelSearchField of={search} />}
      {device.subscriptions.length === 0 && !all.some(({ devices }) => devices.includes(id)) && (
        <p class="hint">{deviceTexts.subscribeNext}</p>
      )}
      {data.map((of) => (
        <OfWorkspace
          key={of.workspace}
          device={device}
          of={of}
          name={workspaces.find(({ slug }) => slug === of.workspace)?.name ?? of.workspace}
          muted={reloadDevice}
          changed={(place, isWanted) => patch((before) => withSubscription(before, place, isWanted))}
        />
      ))}
      <ChannelsGoOn of={search} />
    </>
  );
}

interface OfWorkspaceProps {
  readonly device: Device;
  readonly of: WorkspaceChannels;
  readonly name: string;
  readonly changed: (place: Place, isWanted: boolean) => void;
  readonly muted: () => Promise<void>;
}

function OfWorkspace({ device, of: { workspace, channels }, name, changed, muted }: OfWorkspaceProps) {
  const { isWorking, problem, toggle } = useSubscribing(changed);
  if (channels.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend class="group" dir="auto">
        {name}
      </legend>
      <ProblemNote problem={problem} />
      {channels.map((channel) => (
        <SubscriptionRow
          key={channel.slug}
          {...{ device, workspace, channel, isWorking }}
          name={channel.name}
          onSwitch={(place, isWanted) => void toggle(place, isWanted)}
          onMuted={muted}
        >
          <bdi>{channel.name}</bdi>{' '}
          {channel.status === 'inactive' && <span class="hint">{deviceTexts.channelInactive}</span>}
        </SubscriptionRow>
      ))}
    </fieldset>
  );
}
