import type { Schema } from '../../api/client.ts';
import { quietHours as quiet, reminders, channels as texts } from '../../texts/channels.ts';
import type { ChannelAction } from './use-channel-actions.tsx';

interface Props {
  readonly channel: Schema<'Channel'>;
  readonly onAsk: (what: ChannelAction) => void;
  readonly isSwitching: boolean;
}

/** A channel's buttons for owners and admins, in row and page. */
export function ChannelActions({ channel: { name, status }, onAsk, isSwitching }: Props) {
  const isActive = status === 'active';
  return (
    <>
      <button type="button" aria-label={texts.renameNamed(name)} onClick={() => onAsk('rename')}>
        {texts.rename}
      </button>
      <button type="button" aria-label={reminders.openNamed(name)} onClick={() => onAsk('reminders')}>
        {reminders.open}
      </button>
      <button type="button" aria-label={quiet.openNamed(name)} onClick={() => onAsk('quiet')}>
        {quiet.open}
      </button>
      <button
        type="button"
        aria-label={isActive ? texts.deactivateNamed(name) : texts.activateNamed(name)}
        aria-disabled={isSwitching}
        onClick={() => onAsk('switch')}
      >
        {isActive ? texts.deactivate : texts.activate}
      </button>
      <button type="button" class="danger" aria-label={texts.removeNamed(name)} onClick={() => onAsk('remove')}>
        {texts.remove}
      </button>
    </>
  );
}
