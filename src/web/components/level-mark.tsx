import type { Event } from '../api/events.ts';
import { common } from '../texts/common.ts';

type Level = Event['level'];

/** Shapes by level for colour-blind people. */
const SHAPES: Readonly<Record<Level, string>> = {
  info: 'M10 4a6 6 0 1 1 0 12 6 6 0 0 1 0-12z',
  success: 'M4 10.5 8.2 15 16 6',
  warning: 'M10 3.2 17.6 16.6H2.4z',
  error: 'M6.7 2.5h6.6l4.2 4.2v6.6l-4.2 4.2H6.7l-4.2-4.2V6.7z',
};

/** Shows an event's level by colour, shape, and a screen reader's word. */
export function LevelMark({ level }: { readonly level: Level }) {
  return (
    <svg class={`mark mark-${level}`} viewBox="0 0 20 20" role="img" aria-label={common.levels[level]}>
      <path d={SHAPES[level]} />
    </svg>
  );
}
