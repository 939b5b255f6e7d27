import { ChannelSelect } from '../../components/channels/channel-select.tsx';
import { useChannelSearch } from '../../components/channels/use-channel-search.ts';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { useFilters } from '../../components/filters/use-filters.ts';
import { Page } from '../../components/page.tsx';
import { DeviceList, type DeviceQuery } from '../../manage/devices/device-list.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { platforms } from '../../texts/outcomes.ts';
import { texts } from '../../texts/workspace-devices.ts';

/** Where pushes can arrive. */
function Devices({ workspace: { slug } }: ManagedProps) {
  const filters = useFilters(['q', 'platform', 'status', 'channel']);
  const { q, platform, status, channel } = filters.values;
  const channels = useChannelSearch([slug], { chosen: channel });
  return (
    <Page title={texts.title}>
      <FilterBar label={texts.filters} onSubmit={filters.submit}>
        <input type="search" name="q" defaultValue={q} placeholder={texts.search} aria-label={texts.search} />
        <Choice name="platform" label={texts.platform} value={platform} any={texts.anyPlatform} options={platforms} />
        <Choice name="status" label={texts.status} value={status} options={texts.statuses} />
        <ChannelSelect of={channels} label={texts.channel} chosen={channel} any={texts.anyChannel} />
      </FilterBar>
      <DeviceList
        workspace={slug}
        query={filters.values as DeviceQuery}
        label={texts.title}
        empty={<EmptyList words={filters.isFiltered ? null : texts} />}
      />
    </Page>
  );
}

export default managed(Devices);
