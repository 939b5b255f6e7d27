import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import EventPage from '../pages/event.tsx';
import { moveBy } from '../shell/keys.ts';
import { chosenEvent as texts } from '../texts/inbox.ts';

export default function ChosenEvent({ event }: { readonly event?: string | undefined }) {
  const followed = useFollowed();
  useMarked(event);
  return (
    <section class="split-event" aria-label={texts.label}>
      {event === undefined ? (
        <p class="split-none">{texts.none}</p>
      ) : (
        <EventPage key={event} event={event} isWide takesFocus={followed.current} />
      )}
    </section>
  );
}

/**
 * Returns whether a row's link was followed, which moves the focus to the event. The keys of the list leave the focus
 * in the list.
 */
function useFollowed(): { readonly current: boolean } {
  const followed = useRef(false);
  useLayoutEffect(() => {
    const follow = ({ isTrusted }: MouseEvent): void => {
      followed.current = isTrusted;
    };
    const press = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined || !document.activeElement?.matches('.split-list .event-title')) return;
      event.preventDefault();
      moveBy(step);
    };
    addEventListener('click', follow, true);
    addEventListener('keydown', press);
    return () => {
      removeEventListener('click', follow, true);
      removeEventListener('keydown', press);
    };
  }, []);
  return followed;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** Marks the chosen event's rows without redrawing thousands. A closed event's row gets the focus. */
function useMarked(event: string | undefined): void {
  const chosen = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const list = document.querySelector('.split-list');
    if (list === null) return;
    if (event === undefined && document.activeElement === document.body) chosen.current?.focus({ preventScroll: true });
    chosen.current = null;
    const update = (): void => {
      const rows = event === undefined ? [] : rowsOf(event, list);
      if (chosen.current === null) showOne(rows);
      chosen.current = rows[0] ?? null;
      for (const row of list.querySelectorAll('[aria-current]')) row.removeAttribute('aria-current');
      for (const row of rows) row.setAttribute('aria-current', 'true');
    };
    update();
    // Rows come and go.
    const observer = new MutationObserver(update);
    observer.observe(list, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [event]);
}

/** Returns the event's rows: waiting alerts have another above the list. */
function rowsOf(event: string, list: Element): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(`.event-title[href="/events/${CSS.escape(event)}"]`)];
}

function showOne(rows: readonly HTMLElement[]): void {
  const isSeen = (row: HTMLElement): boolean => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  if (!rows.some(isSeen)) rows[0]?.scrollIntoView({ block: 'center' });
}
