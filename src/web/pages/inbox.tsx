import { useRef, useState } from 'preact/hooks';
import { type InboxEvent, type Inbox as InboxPage, loadInbox } from '../api/events.ts';
import type { Problem } from '../api/problem.ts';
import { useLoad } from '../api/use-load.ts';
import { Command } from '../components/command.tsx';
import { Empty } from '../components/empty.tsx';
import { EventRow } from '../components/event-row.tsx';
import { nowMs } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { useKeys } from '../shell/use-keys.ts';
import { texts } from '../texts/inbox.ts';

/** Is there something for me? All events of the channels that one is subscribed to, newest first. */
export function Inbox() {
  const inbox = useLoad('inbox', loadInbox);
  const list = useRef<HTMLDivElement>(null);
  useKeys({ j: () => move(list.current, 1), k: () => move(list.current, -1) });
  const { data, problem } = inbox;
  return (
    <Page title={texts.title}>
      {problem !== null && problem.kind === 'refused' && <ProblemNote problem={problem} retry={inbox.reload} />}
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && data.events.length === 0 && <NoEvents />}
      {data !== null && data.events.length > 0 && (
        <div ref={list}>
          <Days events={data.events} />
          <Earlier
            next={data.next}
            add={(more) => inbox.patch((before) => ({ ...more, events: [...before.events, ...more.events] }))}
          />
        </div>
      )}
    </Page>
  );
}

function Days({ events }: { readonly events: readonly InboxEvent[] }) {
  const now = useShared(nowMs);
  const days = new Map<string, InboxEvent[]>();
  for (const event of events) {
    const day = times.day(msOf(event.received_at), now);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <h2 class="group">{day}</h2>
          <ul class="list">
            {ofDay.map((event) => (
              <EventRow key={event.public_id} event={event} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

interface EarlierProps {
  readonly next: string | null;
  readonly add: (page: InboxPage) => void;
}

function Earlier({ next, add }: EarlierProps) {
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (next === null) return <p class="end">{texts.end}</p>;
  const load = async (): Promise<void> => {
    setLoading(true);
    const answer = await loadInbox(next);
    setLoading(false);
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok) add(answer.data);
  };
  return (
    <div class="end">
      {problem !== null && <ProblemNote problem={problem} />}
      <button type="button" disabled={isLoading} onClick={() => void load()}>
        {texts.earlier}
      </button>
    </div>
  );
}

function NoEvents() {
  return (
    <Empty title={texts.emptyTitle}>
      <p>{texts.emptyText}</p>
      <Command text={curl(location.origin)} />
    </Empty>
  );
}

function curl(origin: string): string {
  return `curl ${origin}/api/v1/events \\
  -H 'Authorization: Bearer pctl_…' -H 'Content-Type: application/json' \\
  -d '{"channel": "…", "title": "It works"}'`;
}

/** To the next or previous event from the one that has the focus. */
function move(list: HTMLElement | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('.event-title') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : at + by]?.focus();
}
