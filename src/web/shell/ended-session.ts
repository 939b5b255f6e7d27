import { forgetSession } from '../forget.ts';
import { SIGNED_OUT } from '../messages.ts';
import { LAST_WORKSPACE, LEFT_FOR_PROVIDER, session } from '../session.ts';

/** The last step. Steps run in turn: ending a session removes nothing of the next. */
let last: Promise<unknown> = Promise.resolve();

/** Forgets the person when a session ends anywhere. */
export function forgetEndedSessions(): void {
  const { value: state } = session.state;
  session.state.listen(update);
  // The session may have ended before loading.
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
