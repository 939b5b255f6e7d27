import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { failedTap } from '../alerts/kept-taps.ts';
import { NewAlerts } from '../alerts/new-alerts.tsx';
import { UndoToast, undoable } from '../alerts/undo-toast.tsx';
import { liveAlerts } from '../api/alerts.ts';
import { connection } from '../api/connection.ts';
import { serverNow } from '../clock.ts';
import { times } from '../format/time.ts';
import { wasSwitchedOff } from '../push/kept.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { watchBanners } from './banner-height.ts';
import HelpDialog from './help-dialog.tsx';
import { useKeys } from './keys.ts';
import { Nav } from './nav.tsx';
import { NewVersion } from './new-version.tsx';

export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {common.skip}
      </a>
      <Nav />
      <main id="content" tabIndex={-1}>
        <NewAlerts />
        <Banners />
        {children}
      </main>
      <Undo />
      <Help />
    </div>
  );
}

/** Shows every page's messages on top. */
function Banners() {
  const banners = useRef<HTMLDivElement>(null);
  useEffect(() => (banners.current ? watchBanners(banners.current) : undefined), []);
  return (
    <div ref={banners}>
      <ConnectionBanner />
      <NewVersion />
      <FailedTap />
      <SwitchedOff />
    </div>
  );
}

/** Explains an unreachable server. Pages still show loaded data. */
function ConnectionBanner() {
  const why = useShared(connection.trouble);
  const lostAtMs = useShared(connection.lostAtMs);
  const at = lostAtMs === null ? null : times.since(lostAtMs, serverNow());
  return (
    <div role="status">
      {why !== null && (
        <p class="banner">
          {common.problems[why]} {at !== null && common.problems.shownFrom(at)}
        </p>
      )}
    </div>
  );
}

/** Says that an alert is open although its notification was tapped. */
function FailedTap() {
  const id = useShared(failedTap);
  const alerts = useShared(liveAlerts)?.data?.alerts ?? [];
  const alert = alerts.find((other) => other.id === id && other.state === 'open');
  return (
    <div role="alert">
      {alert !== undefined && (
        <p class="banner">
          {common.tapFailed}{' '}
          <a class="link" href={`/events/${alert.id}`} dir="auto">
            {alert.title}
          </a>
        </p>
      )}
    </div>
  );
}

/** Warns on every page that this device gets no more notifications. */
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

/** Rendered before it has a text: otherwise screen readers skip it. */
function Undo() {
  const done = useShared(undoable);
  return (
    <div class="undo" role="status">
      {done !== null && <UndoToast key={done} done={done} />}
    </div>
  );
}

/** Shows all shortcuts on `?`. */
function Help() {
  const [isOpen, setOpen] = useState(false);
  useKeys({ '?': () => setOpen(true) });
  return isOpen ? <HelpDialog close={() => setOpen(false)} /> : null;
}
