import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Place } from '../api/channels.ts';
import type { Mute } from '../api/mutes.ts';
import { texts } from '../texts/mutes.ts';
import { MuteDialog } from './mute-dialog.tsx';
import { Muted } from './muted.tsx';

interface Props {
  readonly place: Place;
  /** What the dialog calls it. */
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly mute: Mute;
  readonly onSwitch: (isWanted: boolean) => void;
  readonly onMuted: () => Promise<void>;
  /** What is shown beside the switch. */
  readonly children: ComponentChildren;
}

/** A channel on a device: whether it comes there, and what of it is muted. */
export function SubscriptionRow({ place, name, isSubscribed, mute, onSwitch, onMuted, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="choice">
      <label>
        <input
          type="checkbox"
          checked={isSubscribed}
          onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
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
