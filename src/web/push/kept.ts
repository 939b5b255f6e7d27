import { Shared } from '../shared.ts';

/** What the browser remembers of itself as a device. */
export interface Kept {
  readonly id: string;
  /** Whose device it is: another user may sign in here later. */
  readonly email: string;
}

const KEPT_AS = 'device';

/** null: this browser is no device. */
export const kept = new Shared<Kept | null>(read());
kept.listen(() => {
  if (kept.value === null) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify(kept.value));
});

// Another tab has changed it.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) kept.value = read();
});

/** The browser's own settings have ended this device, which its owner should hear of. */
export const wasSwitchedOff = new Shared(false);

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
