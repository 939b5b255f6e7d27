import './appearance.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { takePairingCode } from './pairing.ts';
import { kept } from './push/kept.ts';
import { reloadAfterUpgrade } from './reload-after-upgrade.ts';
import { session } from './session.ts';
import { startWorker } from './shell/start-worker.ts';

reloadAfterUpgrade();
takePairingCode();
// The same link again in an open tab changes the fragment alone.
addEventListener('hashchange', takePairingCode);

let checkedInFor: string | null = null;
/** Where this browser is a device: once for each person, as soon as it is known who is signed in. */
async function checkIn(): Promise<void> {
  const { value: state } = session.state;
  if (kept.value === null || state.kind !== 'in' || state.person.user.email === checkedInFor) return;
  checkedInFor = state.person.user.email;
  const { checkThisDeviceIn } = await import('./push/this-device.ts');
  await checkThisDeviceIn(state.person.user.email);
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);

session.state.listen(checkIn);
void session.check();
void startWorker();
