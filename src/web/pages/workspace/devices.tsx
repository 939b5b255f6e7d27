import { ask } from '../../api/ask.ts';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { type DeviceQuery, DeviceRow } from '../../manage/devices/device-list.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { platforms } from '../../texts/inbox.ts';
import { devices as texts } from '../../texts/members.ts';

function Devices({ workspace: { slug } }: ManagedProps) {
  const list = useList(slug, {
    filters: ['q', 'platform', 'status', 'channel'],
    load: (wanted, after) => {
      const query = { ...(wanted as DeviceQuery), after };
      return ask('get', '/v1/workspaces/{workspace}/devices', { path: { workspace: slug }, query });
    },
    rowsOf: (page) => page.devices,
    kinds: ['devices'],
  });
  const { platform, status, channel } = list.filters.values;
  const channels = useChannelSearch([slug], { chosen: channel });
  return (
    <Page title={texts.title}>
      <List
        list={list}
        searchBy="q"
        words={texts}
        row={(device) => <DeviceRow key={device.id} workspace={slug} device={device} withPerson />}
      >
        <Choice name="platform" label={texts.platform} value={platform} any={texts.anyPlatform} options={platforms} />
        <Choice name="status" label={texts.status} value={status} options={texts.statuses} />
        <ChannelSelect of={channels} label={texts.channel} chosen={channel} any={texts.anyChannel} />
      </List>
    </Page>
  );
}

export default managed(Devices);
