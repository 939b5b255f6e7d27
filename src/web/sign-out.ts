import type { Answer } from './api/problem.ts';
import { kept } from './push/kept.ts';
import { endThisDevice } from './push/this-device.ts';
import { session } from './session.ts';

/** Nothing more of theirs is to be shown here, so the browser ends as a device before the session does. */
export async function signOut(): Promise<Answer<unknown>> {
  if (kept.value !== null) {
    const ended = await endThisDevice();
    if (!ended.ok) return ended;
  }
  return session.signOut();
}
