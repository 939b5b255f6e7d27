import { ask } from '../../api/ask.ts';
import { useLoad } from '../../api/use-load.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { lists as shared } from '../../texts/common.ts';
import { results, pushResults as texts } from '../../texts/members.ts';
import { Fact, Line } from '../line.tsx';

interface Props {
  readonly workspace: string;
  readonly email: string;
}

/** Lists the last events of a member's channels, and whether they got them. */
export function MemberEvents({ workspace, email }: Props) {
  const { data, problem, reload } = useLoad(
    `${workspace} ${email}`,
    () => ask('get', '/v1/workspaces/{workspace}/members/{email}/events', { path: { workspace, email } }),
    ['events'],
  );
  return (
    <>
      <h2 class="group">{texts.recent}</h2>
      <ProblemNote problem={problem} retry={reload} />
      {data === null && problem === null && <Skeleton label={shared.loading} />}
      {data?.events.length === 0 && <p class="about">{texts.noEvents}</p>}
      {data !== null && data.events.length > 0 && (
        <ul class="list lines" aria-label={texts.recent}>
          {data.events.map(({ public_id, title, channel_name, received_at, result }) => (
            <Line key={public_id} href={`/w/${workspace}/events/${public_id}`} name={title} more={channel_name}>
              <Fact>{results[result] ?? result}</Fact>
              <Fact isWide>
                <Moment at={received_at} dated />
              </Fact>
            </Line>
          ))}
        </ul>
      )}
    </>
  );
}
