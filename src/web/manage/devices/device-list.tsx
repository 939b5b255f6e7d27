import type { ComponentChildren } from 'preact';
import { ask } from '../../api/ask.ts';
import type { Input, Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-load.ts';
import { platforms } from '../../texts/inbox.ts';
import { devices as texts } from '../../texts/members.ts';
import { Line, LineFact } from '../line.tsx';
import { PageList } from '../list.tsx';

export type DeviceQuery = NonNullable<Input<'get', '/v1/workspaces/{workspace}/devices'>['query']>;

interface Props {
  readonly workspace: string;
  /** Selects the devices. */
  readonly query: DeviceQuery;
  readonly label: string;
  readonly empty: ComponentChildren;
}

export function DeviceList({ workspace, query, label, empty }: Props) {
  const devices = usePages(
    `${workspace} ${JSON.stringify(query)}`,
    (after) => ask('get', '/v1/workspaces/{workspace}/devices', { path: { workspace }, query: { ...query, after } }),
    (page) => page.devices,
    ['devices'],
    'names',
  );
  const isOnes = query.member !== undefined;
  return (
    <PageList
      pages={devices}
      label={label}
      row={(device) => <DeviceRow key={device.id} workspace={workspace} device={device} withPerson={!isOnes} />}
      empty={empty}
    />
  );
}

interface RowProps {
  readonly workspace: string;
  readonly device: Schema<'WorkspaceDevice'>;
  /** Whether to show the owners, if several. */
  readonly withPerson: boolean;
}

export function DeviceRow({ workspace, device, withPerson }: RowProps) {
  const { id, name, email, platform, status, channels } = device;
  return (
    <Line
      href={`/w/${workspace}/devices/${id}`}
      name={name}
      hasEnded={status === 'inactive'}
      more={withPerson ? email : null}
    >
      {status === 'inactive' && <LineFact>{texts.inactive}</LineFact>}
      <LineFact isWide>{platforms[platform]}</LineFact>
      <LineFact isWide={withPerson}>{texts.channels(channels.length)}</LineFact>
    </Line>
  );
}
