import { forgetSession } from '../forget.ts';
import { SIGNED_OUT } from '../messages.ts';
import { LAST_WORKSPACE, LEFT_FOR_PROVIDER, session } from '../session.ts';

/** One after the other: what begins with a session must not be forgotten with the one before. */
let last: Promise<unknown> = Promise.resolve();

/** However a session ends, here or elsewhere, has this browser forget its person. */
export function forgetEndedSessions(): void {
  const { value: state } = session.state;
  session.state.listen(update);
  // It may have ended before this part was loaded.
  if (state.kind === 'in' || (state.kind === 'out' && state.isOver)) update();
}

function update(): void {
  const { kind } = session.state.value;
  if (kind === 'out') forget();
  if (kind === 'in') last = last.then(() => globalThis.caches?.delete(SIGNED_OUT)).catch(() => undefined);
}

function forget(): void {
  localStorage.removeItem(LAST_WORKSPACE);
  sessionStorage.removeItem(LEFT_FOR_PROVIDER);
  last = last.then(() => forgetSession(navigator.serviceWorker?.getRegistration()));
}
