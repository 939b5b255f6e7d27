import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AppAddress } from '../../contract/app-addresses.ts';
import { liveAlerts, useLiveAlerts } from '../api/alerts.ts';
import { useMaintenanceOn } from '../api/maintenance.ts';
import { shortUnreadText, unread, unreadText } from '../api/unread.ts';
import { whole } from '../format/numbers.ts';
import { LAST_WORKSPACE, usePerson, useRunWorkspaces, type Workspace } from '../session.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { type Icon, NavIcon } from './nav-icon.tsx';
import { WorkspaceNav } from './workspace-nav.tsx';

/** Everyone's places: a phone's bottom bar, elsewhere the rail's top. `name`: of text and icon. */
const OWN_PLACES: readonly { readonly address: AppAddress; readonly name: Icon }[] = [
  { address: '/', name: 'inbox' },
  { address: '/alerts', name: 'alerts' },
  { address: '/channels', name: 'channels' },
  { address: '/devices', name: 'devices' },
  { address: '/settings', name: 'settings' },
];

/** Renders a phone's bottom bar, or from 720 px a rail with a workspace the user runs. */
export function Nav() {
  const { path } = useLocation();
  const current = useCurrentWorkspace();
  // Alerts are for people in a workspace; shown until known, since most are.
  const belongs = usePerson()?.workspaces.length !== 0;
  const places = OWN_PLACES.filter(({ address }) => belongs || address !== '/alerts');
  useLiveAlerts();
  useMaintenanceOn();
  return (
    <nav class="nav" aria-label={common.nav.label}>
      <p class="nav-name">{common.app}</p>
      {places.map(({ address, name }) => (
        <a key={address} href={address} aria-current={isAt(path, address) ? 'page' : undefined}>
          <NavIcon name={name} />
          {common.nav[name]}
          {address === '/' && <Unread />}
          {address === '/alerts' && <Open />}
        </a>
      ))}
      {current && (
        <>
          <a class="nav-manage" href={`/w/${current.slug}`} aria-current={path.startsWith('/w/') ? 'page' : undefined}>
            <NavIcon name="manage" />
            {common.nav.manage}
          </a>
          <WorkspaceNav current={current} />
        </>
      )}
    </nav>
  );
}

/** Returns the workspace whose places are shown: the current, else the last, of those the user runs. */
function useCurrentWorkspace(): Workspace | undefined {
  const { path } = useLocation();
  const run = useRunWorkspaces();
  const [, here] = /^\/w\/([^/]+)/.exec(path) ?? [];
  const slug = here ?? localStorage.getItem(LAST_WORKSPACE);
  const current = run.find((workspace) => workspace.slug === slug) ?? run[0];
  useEffect(() => {
    if (here !== undefined) localStorage.setItem(LAST_WORKSPACE, here);
  }, [here]);
  return current;
}

function Unread() {
  const count = useShared(unread);
  if (count.events === 0) return null;
  return (
    <span class="nav-count num">
      <span class="nav-count-short">{shortUnreadText(count)}</span>
      <span class="nav-count-whole">{unreadText(count)}</span> <span class="said">{common.unreadCount}</span>
    </span>
  );
}

function Open() {
  const alerts = useShared(liveAlerts)?.data?.alerts ?? [];
  const open = alerts.filter(({ state }) => state === 'open').length;
  if (open === 0) return null;
  return (
    <span class="nav-count nav-urgent num">
      {whole(open)} <span class="said">{common.openCount}</span>
    </span>
  );
}

/** Tells whether a page belongs to a link. The inbox has two addresses, and events' pages. */
function isAt(path: string, address: string): boolean {
  if (address === '/') return path === '/' || path === '/inbox' || path.startsWith('/events/');
  return path === address;
}
