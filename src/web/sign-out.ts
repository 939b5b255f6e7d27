import type { Answer } from './api/problem.ts';
import { kept } from './push/kept.ts';
import { endThisDevice } from './push/this-device.ts';
import { session } from './session.ts';

/** Ends the device before the session, to stop notifications here. */
export async function signOut(): Promise<Answer<unknown>> {
  if (kept.value !== null) {
    const ended = await endThisDevice();
    if (!ended.ok) return ended;
  }
  return session.signOut();
}
