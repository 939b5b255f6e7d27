import { render, useApp, useInput, useWindowSize } from 'ink';
import { type ReactElement, useEffect, useReducer, useRef, useState } from 'react';
import type { FeedItem } from '../../server/feed/items.ts';
import type { Watched } from '../../store/calls.ts';
import { type FollowOptions, follow } from './follow.ts';
import { EMPTY_STATE, type TailState, withItems } from './state.ts';
import { TailView } from './view.tsx';

interface LiveOptions {
  readonly socket: string;
  readonly isShared: boolean;
  readonly watched: Watched;
  readonly process: NodeJS.Process;
}

/** Faster than people read. */
const FRAME_MS = 100;

/** Draws until `q` or Ctrl-C. Throws `OperatorProblem` without a server. */
export async function watchLive({ socket, isShared, watched, process }: LiveOptions): Promise<void> {
  const { stdout, stdin } = process;
  const source: ItemSource = { watched, follow: (heard) => follow({ socket, isShared, watched, ...heard }) };
  // Ink takes the variable CI for a sign that there is no terminal.
  const screen = { interactive: true, alternateScreen: true, patchConsole: false } as const;
  const app = render(<Live source={source} />, { stdout, stdin, ...screen });
  await app.waitUntilExit();
}

/** The items' source. `follow` ends with its signal; rejects if nothing can be followed. */
export interface ItemSource {
  readonly watched: Watched;
  follow(heard: Pick<FollowOptions, 'onItem' | 'onLink' | 'signal'>): Promise<void>;
}

export function Live({ source }: { readonly source: ItemSource }): ReactElement {
  const { exit } = useApp();
  const { columns, rows } = useWindowSize();
  const [controls, dispatch] = useReducer(press, INITIAL_CONTROLS);
  const { tail, isUp } = useFeed(source, controls.isPaused, exit);

  useInput((text, key) => {
    if (key.escape) dispatch({ key: 'escape' });
    else if (key.return) dispatch({ key: 'return' });
    else if (key.backspace || key.delete) dispatch({ key: 'backspace' });
    else if (!key.ctrl && !key.meta) dispatch({ text });
  });
  useEffect(() => {
    if (controls.isOver) exit();
  }, [controls.isOver, exit]);

  const { watched } = source;
  return <TailView tail={tail} isUp={isUp} {...controls} watched={watched} columns={columns} rows={rows} />;
}

/** Returns the growing tail, some frames a second. Collects unseen while paused. */
function useFeed(source: ItemSource, isPaused: boolean, exit: (error?: Error) => void) {
  const [tail, setTail] = useState<TailState>(EMPTY_STATE);
  const [isUp, setUp] = useState(true);
  const unseen = useRef<TailState>(EMPTY_STATE);

  useEffect(() => {
    const stopping = new AbortController();
    const onItem = (item: FeedItem) => {
      unseen.current = withItems(unseen.current, [item]);
    };
    source.follow({ onItem, onLink: setUp, signal: stopping.signal }).catch(exit);
    return () => stopping.abort();
  }, [source, exit]);

  useEffect(() => {
    if (isPaused) return;
    const timer = setInterval(() => setTail(unseen.current), FRAME_MS);
    return () => clearInterval(timer);
  }, [isPaused]);

  return { tail, isUp };
}

interface Controls {
  readonly filter: string;
  readonly isTyping: boolean;
  readonly isPaused: boolean;
  readonly isOver: boolean;
}

export const INITIAL_CONTROLS: Controls = { filter: '', isTyping: false, isPaused: false, isOver: false };

/** A key press; keys without text have names. */
export type KeyPress = { readonly text: string } | { readonly key: 'return' | 'escape' | 'backspace' };

/** Applies a key press. Quick typing and pasting give several characters, Enter included. */
export function press(controls: Controls, pressed: KeyPress): Controls {
  if ('text' in pressed) return [...pressed.text].reduce(typed, controls);
  const { isTyping, filter } = controls;
  switch (pressed.key) {
    case 'return':
      return { ...controls, isTyping: false };
    case 'escape':
      return { ...controls, isTyping: false, filter: '' };
    case 'backspace':
      return isTyping ? { ...controls, filter: [...filter].slice(0, -1).join('') } : controls;
  }
}

function typed(controls: Controls, character: string): Controls {
  if (character === '\r' || character === '\n') return press(controls, { key: 'return' });
  if (controls.isTyping) return { ...controls, filter: controls.filter + character };
  switch (character) {
    case 'q':
      return { ...controls, isOver: true };
    case 'p':
    case ' ':
      return { ...controls, isPaused: !controls.isPaused };
    case 'f':
    case '/':
      return { ...controls, isTyping: true };
    default:
      return controls;
  }
}
