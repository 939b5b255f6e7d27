import { texts } from '../../texts/audit.ts';

/** `7m3q0f9t2xkd "ci"`, `7m3q0f9t2xkd to 9t2xkd7m3q0f "ci"`: a key by its ids and name. */
const NAMED = /^\S+(?: to \S+)? "(.*)"(?:, \S+ revoked)?$/;

/** What was done, as the rest of a sentence that begins with who did it. */
export function sentenceOf({ action, object }: { readonly action: string; readonly object: string }): string {
  const say = (texts.did as Readonly<Record<string, (object: string) => string>>)[action];
  return say === undefined ? `${texts.didElse(action)}: ${object}` : say(NAMED.exec(object)?.[1] ?? object);
}
