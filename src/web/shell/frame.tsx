import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { part } from '../part.tsx';
import { wasSwitchedOff } from '../push/kept.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { Nav } from './nav.tsx';
import { useKeys } from './use-keys.ts';

const HelpDialog = part(() => import('./help-dialog.tsx'));

/** What is around every page. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {common.skip}
      </a>
      <Nav />
      <main id="content" tabIndex={-1}>
        <ConnectionBanner />
        <SwitchedOff />
        {children}
      </main>
      <Help />
    </div>
  );
}

/** Who relies on notifications must hear that there are none any more, wherever they are in the app. */
function SwitchedOff() {
  if (!useShared(wasSwitchedOff)) return null;
  return (
    <p class="banner">
      {common.switchedOff}{' '}
      <a class="link" href="/devices">
        {common.nav.devices}
      </a>
    </p>
  );
}

/** `?` shows which keys there are. */
function Help() {
  const [isOpen, setOpen] = useState(false);
  useKeys({ '?': () => setOpen(true) });
  return isOpen ? <HelpDialog close={() => setOpen(false)} /> : null;
}
