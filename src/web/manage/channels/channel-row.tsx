import type { Schema } from '../../api/client.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { texts as quiet } from '../../texts/quiet-hours.ts';
import { texts } from '../../texts/workspace-channels.ts';
import { Fact, Line } from '../line.tsx';

interface Props {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onAsk: (what: 'rename' | 'quiet' | 'remove') => void;
  readonly isSwitching: boolean;
  readonly onSwitch: () => void;
}

export function ChannelRow({ workspace, channel, onAsk, isSwitching, onSwitch }: Props) {
  const { slug, name, status, device_count } = channel;
  const isActive = status === 'active';
  return (
    <Line href={`/w/${workspace}/channels/${slug}`} name={name} hasEnded={!isActive} more={name === slug ? null : slug}>
      {!isActive && <Fact>{texts.inactive}</Fact>}
      <Fact>{texts.devices(device_count)}</Fact>
      <RowMenu label={texts.menu(name)}>
        <button type="button" aria-label={texts.renameNamed(name)} onClick={() => onAsk('rename')}>
          {texts.rename}
        </button>
        <button type="button" aria-label={quiet.openNamed(name)} onClick={() => onAsk('quiet')}>
          {quiet.open}
        </button>
        <button
          type="button"
          aria-label={isActive ? texts.deactivateNamed(name) : texts.activateNamed(name)}
          aria-disabled={isSwitching}
          onClick={onSwitch}
        >
          {isActive ? texts.deactivate : texts.activate}
        </button>
        <button type="button" class="danger" aria-label={texts.removeNamed(name)} onClick={() => onAsk('remove')}>
          {texts.remove}
        </button>
      </RowMenu>
    </Line>
  );
}
