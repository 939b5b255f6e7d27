import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import { useChange } from '../api/use-change.ts';
import { Command } from '../components/command.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { settings as texts } from '../texts/account.ts';

/** Makes and ends the address by which calendar programs read the person's shifts. It is shown once. */
export function Calendar() {
  const [url, setUrl] = useState<string | null>(null);
  const [hasEnded, setHasEnded] = useState(false);
  const { isWorking, problem, make } = useChange();
  const create = async (): Promise<void> => {
    const made = await make(() => change('post', '/v1/session/calendar', {}));
    if (made === null) return;
    setUrl(made.data.calendar.url);
    setHasEnded(false);
  };
  const end = async (): Promise<void> => {
    if ((await make(() => change('delete', '/v1/session/calendar', {}))) === null) return;
    setUrl(null);
    setHasEnded(true);
  };
  return (
    <Section title={texts.calendar.title}>
      <div class="paper stack">
        <p>{texts.calendar.text}</p>
        <ProblemNote problem={problem} />
        <div role="status">
          {url !== null && (
            <>
              <Command text={url} />
              <p class="hint">{texts.calendar.hint}</p>
            </>
          )}
          {hasEnded && <p>{texts.calendar.ended}</p>}
        </div>
        <div class="actions">
          <button type="button" aria-disabled={isWorking} onClick={() => void create()}>
            {texts.calendar.make}
          </button>
          <button type="button" aria-disabled={isWorking} onClick={() => void end()}>
            {texts.calendar.end}
          </button>
        </div>
      </div>
    </Section>
  );
}
