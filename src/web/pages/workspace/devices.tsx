import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { ChannelSelect } from '../../components/channels/channel-select.tsx';
import { useChannelSearch } from '../../components/channels/use-channel-search.ts';
import { Empty } from '../../components/empty.tsx';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { useFilters } from '../../components/filters/use-filters.ts';
import { Page } from '../../components/page.tsx';
import { DeviceRow } from '../../manage/devices/device-row.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { PageList } from '../../manage/page-list.tsx';
import { texts as shared } from '../../texts/manage.ts';
import { platforms } from '../../texts/outcomes.ts';
import { texts } from '../../texts/workspace-devices.ts';

type Device = Schema<'WorkspaceDevice'>;

/** Where pushes can arrive. */
function Devices({ workspace: { slug } }: ManagedProps) {
  const filters = useFilters(['q', 'platform', 'status', 'channel']);
  const { q, platform, status, channel } = filters.values;
  const channels = useChannelSearch([slug], { chosen: channel });
  const devices = usePages(
    `${slug} ${filters.key}`,
    (after) =>
      ask('get', '/v1/workspaces/{workspace}/devices', {
        path: { workspace: slug },
        query: {
          ...(q && { q }),
          ...(platform && { platform: platform as Device['platform'] }),
          ...(status && { status: status as Device['status'] }),
          ...(channel && { channel }),
          ...(after && { after }),
        },
      }),
    (page) => page.devices,
    ['devices'],
  );
  const isFiltered = filters.key !== '{}';
  return (
    <Page title={texts.title}>
      <FilterBar label={texts.filters} onSubmit={filters.submit}>
        <input type="search" name="q" defaultValue={q} placeholder={texts.search} aria-label={texts.search} />
        <Choice
          name="platform"
          label={texts.platform}
          value={platform}
          options={[['', texts.anyPlatform], ...Object.entries(platforms)]}
        />
        <Choice name="status" label={texts.status} value={status} options={Object.entries(texts.statuses)} />
        <ChannelSelect of={channels} label={texts.channel} chosen={channel} any={texts.anyChannel} />
      </FilterBar>
      <PageList
        pages={devices}
        label={texts.title}
        row={(device) => <DeviceRow key={device.id} workspace={slug} device={device} withPerson />}
        empty={
          <Empty title={isFiltered ? shared.nothingFound : texts.emptyTitle}>
            <p>{isFiltered ? shared.nothingFits : texts.emptyText}</p>
          </Empty>
        }
      />
    </Page>
  );
}

export default managed(Devices);
