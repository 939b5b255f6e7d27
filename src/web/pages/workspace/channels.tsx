import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import {
  type ChannelAction,
  ChannelActions,
  ChannelForm,
  useChannelActions,
} from '../../manage/channels/channel-actions.tsx';
import { Line, LineFact } from '../../manage/line.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { channels as texts } from '../../texts/channels.ts';

type Channel = Schema<'Channel'>;

/** The list's page size. */
const AT_ONCE = 100;

function Channels({ workspace: { slug } }: ManagedProps) {
  const list = useList(slug, {
    filters: ['q', 'status'],
    load({ q, status }, after) {
      const query = { q, status: status as Channel['status'] | undefined, after, limit: AT_ONCE };
      return ask('get', '/v1/workspaces/{workspace}/channels', { path: { workspace: slug }, query });
    },
    rowsOf: (page) => page.channels,
    kinds: ['channels'],
  });
  const [isCreating, setCreating] = useState(false);
  const [done, say] = useDone(list.pages.reload);
  const actions = useChannelActions(slug, say);
  return (
    <Page
      title={texts.title}
      actions={<Button text={texts.create} class="primary" onClick={() => setCreating(true)} />}
    >
      <ProblemNote problem={actions.problem} />
      <List
        list={list}
        searchBy="q"
        words={texts}
        row={(channel) => (
          <ChannelRow
            key={channel.slug}
            workspace={slug}
            channel={channel}
            onAsk={(what) => actions.ask(what, channel)}
            isSwitching={actions.isSwitching}
          />
        )}
      >
        <Choice
          name="status"
          label={texts.status}
          value={list.filters.values.status}
          any={texts.anyStatus}
          options={texts.statuses}
        />
      </List>
      {isCreating && (
        <ChannelForm
          workspace={slug}
          channel={null}
          onDone={({ name }) => {
            setCreating(false);
            say({ text: texts.wasCreated(name) });
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {actions.dialog}
      <Notice done={done} />
    </Page>
  );
}

export default managed(Channels);

interface ChannelRowProps {
  readonly workspace: string;
  readonly channel: Schema<'Channel'>;
  readonly onAsk: (what: ChannelAction) => void;
  readonly isSwitching: boolean;
}

function ChannelRow({ workspace, channel, onAsk, isSwitching }: ChannelRowProps) {
  const { slug, name, status, device_count } = channel;
  const isActive = status === 'active';
  return (
    <Line href={`/w/${workspace}/channels/${slug}`} name={name} hasEnded={!isActive} more={name === slug ? null : slug}>
      {!isActive && <LineFact>{texts.inactive}</LineFact>}
      <LineFact>{texts.devices(device_count)}</LineFact>
      <RowMenu label={texts.menu(name)}>
        <ChannelActions {...{ channel, onAsk, isSwitching }} />
      </RowMenu>
    </Line>
  );
}
