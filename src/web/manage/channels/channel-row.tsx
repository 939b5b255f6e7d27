import type { Schema } from '../../api/client.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { channels as texts } from '../../texts/channels.ts';
import { Fact, Line } from '../line.tsx';
import { ChannelActions } from './channel-actions.tsx';
import type { ChannelAction } from './use-channel-actions.tsx';

interface Props {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onAsk: (what: ChannelAction) => void;
  readonly isSwitching: boolean;
}

export function ChannelRow({ workspace, channel, onAsk, isSwitching }: Props) {
  const { slug, name, status, device_count } = channel;
  const isActive = status === 'active';
  return (
    <Line href={`/w/${workspace}/channels/${slug}`} name={name} hasEnded={!isActive} more={name === slug ? null : slug}>
      {!isActive && <Fact>{texts.inactive}</Fact>}
      <Fact>{texts.devices(device_count)}</Fact>
      <RowMenu label={texts.menu(name)}>
        <ChannelActions {...{ channel, onAsk, isSwitching }} />
      </RowMenu>
    </Line>
  );
}
