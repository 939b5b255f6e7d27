import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import { useLoad } from '../../api/use-load.ts';
import { Fact } from '../../components/fact.tsx';
import { Onward } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { browserName } from '../../format/browser-name.ts';
import { DeviceList } from '../../manage/devices/device-list.tsx';
import { breakable, Line, LineFact } from '../../manage/line.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { MemberActions, MemberDialogs, type OpenAction } from '../../manage/members/member-actions.tsx';
import { lists as shared } from '../../texts/common.ts';
import { pushResults as pushResultsTexts, results, members as texts } from '../../texts/members.ts';

function MemberOfWorkspace({ workspace: { slug, role: own }, subject: email }: ManagedProps) {
  const path = { workspace: slug, email };
  const loaded = useLoad(email, () => ask('get', '/v1/workspaces/{workspace}/members/{email}', { path }), ['members']);
  const [open, setOpen] = useState<OpenAction | null>(null);
  const [done, finish] = useDone(loaded.reload);
  const member = loaded.data?.member;
  const isOwner = own === 'owner';
  return (
    <Page title={member?.name ?? email}>
      <Loading of={loaded} label={texts.loading} />
      {member !== undefined && (
        <>
          <article class="paper">
            <dl class="facts">
              <Fact name={texts.email}>{breakable(member.email)}</Fact>
              <Fact name={texts.role}>{texts.roles[member.role]}</Fact>
              <Fact name={texts.joined}>
                <Moment at={member.joined_at} dated />
              </Fact>
              <Fact name={texts.lastSeen}>
                {member.last_seen_at === null ? texts.neverSeen : <Moment at={member.last_seen_at} dated />}
              </Fact>
            </dl>
          </article>
          {(isOwner || member.role !== 'owner') && (
            <div class="actions">
              <MemberActions member={member} onAsk={(kind) => setOpen({ kind, member })} />
            </div>
          )}
          <h2 class="group">{texts.devicesTitle}</h2>
          <DeviceList
            workspace={slug}
            query={{ member: email }}
            label={texts.devicesTitle}
            empty={<p class="about">{texts.noDevices}</p>}
          />
          <MemberEvents workspace={slug} email={email} />
          <h2 class="group">{texts.sessionsTitle}</h2>
          {member.sessions.length === 0 && <p class="about">{texts.noSessions}</p>}
          {member.sessions.length > 0 && (
            <ul class="list">
              {member.sessions.map(({ user_agent, created_at, last_seen_at }) => (
                <li key={created_at} class="entry">
                  <span class="entry-text">{browserName(user_agent ?? '') || texts.unknownProgram}</span>
                  <span class="hint">
                    {texts.lastUsed} <Moment at={last_seen_at} dated />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <Onward href={`/w/${slug}/members`}>{texts.toAll}</Onward>
      <MemberDialogs workspace={slug} isOwner={isOwner} open={open} setOpen={setOpen} onDone={finish} />
      <Notice done={done} />
    </Page>
  );
}

export default managed(MemberOfWorkspace);

interface MemberEventsProps {
  readonly workspace: string;
  readonly email: string;
}

/** Lists the last events of a member's channels, and whether they got them. */
function MemberEvents({ workspace, email }: MemberEventsProps) {
  const loaded = useLoad(
    `${workspace} ${email}`,
    () => ask('get', '/v1/workspaces/{workspace}/members/{email}/events', { path: { workspace, email } }),
    ['events'],
  );
  const { data } = loaded;
  return (
    <>
      <h2 class="group">{pushResultsTexts.recent}</h2>
      <Loading of={loaded} label={shared.loading} />
      {data?.events.length === 0 && <p class="about">{pushResultsTexts.noEvents}</p>}
      {data !== null && data.events.length > 0 && (
        <ul class="list lines" aria-label={pushResultsTexts.recent}>
          {data.events.map(({ public_id, title, channel_name, received_at, result }) => (
            <Line key={public_id} href={`/w/${workspace}/events/${public_id}`} name={title} more={channel_name}>
              <LineFact>{results[result] ?? result}</LineFact>
              <LineFact isWide>
                <Moment at={received_at} dated />
              </LineFact>
            </Line>
          ))}
        </ul>
      )}
    </>
  );
}
