import { ask, change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useLoad } from '../api/use-load.ts';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { browserName } from '../format/browser-name.ts';
import { settings as texts } from '../texts/account.ts';

type OwnSession = Schema<'SessionList'>['sessions'][number];

/** Lists the person's sessions and ends others; signing out ends the current. */
export function Sessions() {
  const { data, problem, reload } = useLoad('sessions', () => ask('get', '/v1/sessions', {}), ['sessions']);
  return (
    <Section title={texts.sessions.title}>
      {problem !== null && (data === null || problem.kind === 'refused') && (
        <ProblemNote problem={problem} retry={reload} />
      )}
      {data === null && problem === null && <Skeleton label={texts.sessions.loading} rows={2} />}
      {data !== null && (
        <ul class="list">
          {data.sessions.map((session) => (
            <Row key={session.id} session={session} reload={reload} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface RowProps {
  readonly session: OwnSession;
  readonly reload: () => Promise<void>;
}

function Row({ session: { id, user_agent, last_seen_at, vouched_for, current }, reload }: RowProps) {
  const places = vouched_for.flatMap(({ workspace }) => workspace ?? []);
  const where = browserName(user_agent ?? '') || texts.sessions.unknown;
  const end = () => change('delete', '/v1/sessions/{session}', { path: { session: id } });
  return (
    <li class="row">
      <div>
        <p>
          {where} {current && <span class="hint">({texts.sessions.current})</span>}
        </p>
        <p class="hint">
          {texts.sessions.used} <Moment at={last_seen_at} />
          {places.length > 0 && ` · ${texts.sessions.vouchedFor(places)}`}
        </p>
      </div>
      {!current && (
        <ConfirmButton label={texts.sessions.end} question={texts.sessions.question(where)} act={end} reload={reload}>
          {texts.sessions.text}
        </ConfirmButton>
      )}
    </li>
  );
}
