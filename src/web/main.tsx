import './appearance.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { reloadAfterUpgrade } from './reload-after-upgrade.ts';
import { session, takePairingCode } from './session.ts';

takePairingCode();
// Reopening the link in an open tab changes only the fragment.
addEventListener('hashchange', takePairingCode);

const root = document.getElementById('app');
// Replaces the outline of a list.
root?.replaceChildren();
if (root !== null) render(<App />, root);

void session.check();
void import('./shell/after-start.ts').then(({ afterStart }) => afterStart(), reloadAfterUpgrade);
