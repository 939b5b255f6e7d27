import type { ComponentChildren } from 'preact';
import { common } from '../texts/common.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { Nav } from './nav.tsx';

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
        {children}
      </main>
      <HelpDialog />
    </div>
  );
}
