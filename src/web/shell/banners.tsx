import { useEffect, useRef } from 'preact/hooks';
import { failedTap } from '../alerts/kept-taps.ts';
import { liveAlerts } from '../api/alerts.ts';
import { changes } from '../api/changes.ts';
import { connection } from '../api/connection.ts';
import { serverNow } from '../clock.ts';
import { Button } from '../components/button.tsx';
import { times } from '../format/time.ts';
import { wasSwitchedOff } from '../push/kept.ts';
import { isOutdated } from '../reload-after-upgrade.ts';
import { Shared, useShared } from '../shared.ts';
import { common } from '../texts/common.ts';

/** Shows every page's messages on top. */
export function Banners() {
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

const HOUR_MS = 3_600_000;

/** Whether the server's build changed: tabs stay open for weeks. */
const isOld = new Shared(false);

/** Looks for another build hourly and after each gap in live updates, possibly an upgrade. */
export function watchForNewVersion(): void {
  const look = async (): Promise<void> => {
    if (!isOld.value && !document.hidden) isOld.value = await isOutdated();
  };
  connection.restored.listen(() => void look());
  changes.listen((kind) => void (kind === 'everything' && look()));
  setInterval(() => void look(), HOUR_MS);
}

/** Offers to reload: a form may be half filled in. */
function NewVersion() {
  const isShown = useShared(isOld);
  return (
    <div role="status">
      {isShown && (
        <p class="banner">
          {common.newVersion} <Button text={common.actions.reload} onClick={() => location.reload()} />
        </p>
      )}
    </div>
  );
}

/** All banners' height, in px. A change moves the page below. */
export const bannerHeight = new Shared(0);

/** Tracks `bannerHeight` before taps can hit moved things. Returns a function that stops. */
function watchBanners(banners: Element): () => void {
  const read = (): void => {
    bannerHeight.value = banners.clientHeight;
  };
  const observer = new MutationObserver(read);
  observer.observe(banners, { childList: true, characterData: true, subtree: true });
  read();
  return () => observer.disconnect();
}
