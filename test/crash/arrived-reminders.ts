import type { Push } from '../../src/sandbox/journal.ts';
import { fieldsOf } from './arrivals.ts';

/** A reminder of the channel's only alert, with its number. */
export interface Reminder {
  readonly channel: string;
  readonly nth: number;
  readonly token: string;
}

/** Reminders that came in at the sandbox. */
export class ArrivedReminders {
  readonly #firstAtMs = new Map<string, number>();
  /** Those that came again. */
  copies = 0;

  take(push: Push): void {
    const { channel, reminder } = fieldsOf(push);
    const nth = Number(reminder ?? 0);
    if (nth === 0) return;
    const name = nameOf({ channel: String(channel), nth, token: push.token });
    if (this.#firstAtMs.has(name)) this.copies += 1;
    else this.#firstAtMs.set(name, push.receivedAtMs);
  }

  /** When it first came; undefined: not yet. */
  atMs(reminder: Reminder): number | undefined {
    return this.#firstAtMs.get(nameOf(reminder));
  }
}

function nameOf({ channel, nth, token }: Reminder): string {
  return `${channel} ${nth} ${token}`;
}
