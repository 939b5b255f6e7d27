import type { Schema } from '../../api/client.ts';
import { platforms } from '../../texts/outcomes.ts';
import { texts } from '../../texts/workspace-devices.ts';
import { Fact, Line } from '../line.tsx';

interface Props {
  readonly workspace: string;
  readonly device: Schema<'WorkspaceDevice'>;
  /** Where the list is not one person's. */
  readonly withPerson?: boolean;
}

export function DeviceRow({ workspace, device, withPerson = false }: Props) {
  const { id, name, email, platform, status, channels } = device;
  return (
    <Line
      href={`/w/${workspace}/devices/${id}`}
      name={name}
      hasEnded={status === 'inactive'}
      more={withPerson ? email : null}
    >
      {status === 'inactive' && <Fact>{texts.inactive}</Fact>}
      <Fact isWide>{platforms[platform]}</Fact>
      <Fact isWide={withPerson}>{texts.channels(channels.length)}</Fact>
    </Line>
  );
}
