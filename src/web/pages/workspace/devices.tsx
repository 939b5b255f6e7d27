import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Empty } from '../../components/empty.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { PageList } from '../../manage/page-list.tsx';
import { usePages } from '../../manage/use-pages.ts';
import { platforms } from '../../texts/outcomes.ts';
import { texts } from '../../texts/workspace-devices.ts';

/** Where pushes can arrive. */
function Devices({ workspace: { slug } }: ManagedProps) {
  const devices = usePages(
    slug,
    (after) =>
      ask('get', '/v1/workspaces/{workspace}/devices', {
        path: { workspace: slug },
        query: after === undefined ? {} : { after },
      }),
    (page) => page.devices,
    ['devices'],
  );
  return (
    <Page title={texts.title}>
      <p class="about">{texts.about}</p>
      <PageList
        pages={devices}
        label={texts.title}
        row={(device) => <DeviceEntry key={device.id} device={device} />}
        empty={
          <Empty title={texts.emptyTitle}>
            <p>{texts.emptyText}</p>
          </Empty>
        }
      />
    </Page>
  );
}

function DeviceEntry({ device }: { readonly device: Schema<'WorkspaceDeviceList'>['devices'][number] }) {
  const isActive = device.status === 'active';
  return (
    <li class="entry">
      <div class="entry-text">
        <p class={isActive ? 'entry-name' : 'entry-name entry-ended'} dir="auto">
          {device.name}
        </p>
        <p class="entry-meta">
          <span>{device.email}</span>
          <span>{platforms[device.platform]}</span>
          {device.push_service !== null && <span>{device.push_service}</span>}
          {device.app !== null && <span>{device.app}</span>}
          {device.environment === 'sandbox' && <span>{texts.sandbox}</span>}
          <span>{device.channels.join(', ') || texts.noChannels}</span>
          <span>
            {texts.registered} <Moment at={device.registered_at} dated />
          </span>
          <span class="mono">{device.id}</span>
        </p>
      </div>
      {!isActive && <p class="entry-state">{[texts.inactive, device.inactive_reason].filter(Boolean).join(': ')}</p>}
    </li>
  );
}

export default managed(Devices);
