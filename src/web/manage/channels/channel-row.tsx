import type { Schema } from '../../api/client.ts';
import { texts } from '../../texts/workspace-channels.ts';

interface Props {
  readonly channel: Schema<'Channel'>;
  readonly onAsk: (what: 'rename' | 'remove') => void;
  readonly onSwitch: () => void;
}

export function ChannelRow({ channel: { slug, name, status, device_count }, onAsk, onSwitch }: Props) {
  const isActive = status === 'active';
  return (
    <li class="entry">
      <div class="entry-text">
        <p class={isActive ? 'entry-name' : 'entry-name entry-ended'} dir="auto">
          {name}
        </p>
        <p class="entry-meta">
          <span class="mono">{slug}</span>
          <span>{texts.devices(device_count)}</span>
          {!isActive && <span>{texts.inactive}</span>}
        </p>
      </div>
      <div class="actions">
        <button type="button" aria-label={texts.renameNamed(name)} onClick={() => onAsk('rename')}>
          {texts.rename}
        </button>
        <button
          type="button"
          aria-label={isActive ? texts.deactivateNamed(name) : texts.activateNamed(name)}
          onClick={onSwitch}
        >
          {isActive ? texts.deactivate : texts.activate}
        </button>
        <button type="button" class="danger" aria-label={texts.removeNamed(name)} onClick={() => onAsk('remove')}>
          {texts.remove}
        </button>
      </div>
    </li>
  );
}
