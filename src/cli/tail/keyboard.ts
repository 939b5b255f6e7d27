export interface Controls {
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
