import { ask } from '../../api/ask.ts';
import { namesOf, useChannels } from '../../api/channels.ts';
import type { Schema } from '../../api/client.ts';
import { Choice } from '../../components/filters.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { sentenceOf } from '../../manage/audit/sentence.ts';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { lists as shared } from '../../texts/common.ts';
import { audit as texts } from '../../texts/workspace.ts';

function Audit({ workspace: { slug } }: ManagedProps) {
  const list = useList(slug, {
    filters: ['actor', 'action', 'since'],
    load: (wanted, before) =>
      ask('get', '/v1/workspaces/{workspace}/audit', { path: { workspace: slug }, query: { ...wanted, before } }),
    rowsOf: (page) => page.entries,
    kinds: ['audit'],
    order: 'time',
  });
  const { action, since } = list.filters.values;
  const names = namesOf(useChannels(slug) ?? []);
  const { label, ...times } = shared.since;
  return (
    <Page title={texts.title}>
      <p class="about">{texts.about}</p>
      <List
        list={list}
        searchBy="actor"
        words={{ ...texts, search: texts.actor }}
        row={(entry) => <Entry key={`${entry.at} ${entry.action} ${entry.object}`} entry={entry} names={names} />}
      >
        <Choice name="action" label={texts.action} value={action} options={texts.actions} />
        <Choice name="since" label={label} value={since} options={times} />
      </List>
    </Page>
  );
}

interface EntryProps {
  readonly entry: Schema<'AuditEntry'>;
  /** Channel names by slug. */
  readonly names: ReadonlyMap<string, string>;
}

function Entry({ entry: { at, actor, action, object }, names }: EntryProps) {
  return (
    <li>
      <details class="log">
        <summary>
          <span>
            <bdi>{actor.name}</bdi> <bdi>{sentenceOf({ action, object }, names)}</bdi>
          </span>
          <Moment at={at} dated />
        </summary>
        <p class="entry-meta">
          <span class="mono">{action}</span>
          <span class="mono">{object}</span>
          <span>{placeOf(actor)}</span>
        </p>
      </details>
    </li>
  );
}

export default managed(Audit);

function placeOf({ kind, address }: Schema<'AuditEntry'>['actor']): string {
  if (kind === 'key') return texts.byKey;
  return address === null ? texts.onServer : texts.from(address);
}
