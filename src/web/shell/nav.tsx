import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AppAddress } from '../../contract/app-addresses.ts';
import { liveAlerts, useLiveAlerts } from '../api/alerts.ts';
import { shortUnreadText, unread, unreadText } from '../api/unread.ts';
import { useMaintenanceOn } from '../components/maintenance-banner.tsx';
import { whole } from '../format/numbers.ts';
import { LAST_WORKSPACE, usePerson, useRunWorkspaces, type Workspace } from '../session.ts';
import { useShared } from '../shared.ts';
import { common, places as texts } from '../texts/common.ts';

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

const PATHS = {
  inbox: 'M3 12.5 5.2 4.8A1.5 1.5 0 0 1 6.6 3.7h6.8a1.5 1.5 0 0 1 1.4 1.1L17 12.5v3.3H3zM3 12.5h4l1 1.8h4l1-1.8h4',
  alerts: 'M5.2 13.6V9a4.8 4.8 0 0 1 9.6 0v4.6l1.4 1.4H3.8zM8.4 17h3.2',
  channels: 'M4 6.2h12M4 10h12M4 13.8h7.5',
  devices: 'M6.2 2.8h7.6v14.4H6.2zM9 14.8h2',
  manage: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  settings: 'M3 6.5h8.2M15.2 6.5H17M3 13.5h1.8M8.8 13.5H17M13.2 4.5v4M6.8 11.5v4',
} as const;

type Icon = keyof typeof PATHS;

/** Draws an unlabelled icon: the name is beside. */
function NavIcon({ name }: { readonly name: Icon }) {
  return (
    <svg class="nav-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The rail's places of the user's workspace. */
function WorkspaceNav({ current }: { readonly current: Workspace }) {
  return (
    <div class="nav-group">
      <WorkspaceSwitch current={current} />
      <WorkspaceLinks slug={current.slug} />
    </div>
  );
}

/** A workspace's places for owners and admins. */
const WORKSPACE_PLACES: readonly { readonly address: AppAddress; readonly name: string }[] = [
  { address: '/w/{workspace}', name: texts.overview },
  { address: '/w/{workspace}/events', name: texts.events },
  { address: '/w/{workspace}/send', name: texts.send },
  { address: '/w/{workspace}/channels', name: common.nav.channels },
  { address: '/w/{workspace}/heartbeats', name: texts.heartbeats },
  { address: '/w/{workspace}/on-call', name: texts.onCall },
  { address: '/w/{workspace}/keys', name: texts.keys },
  { address: '/w/{workspace}/webhooks', name: texts.webhooks },
  { address: '/w/{workspace}/members', name: texts.members },
  { address: '/w/{workspace}/devices', name: common.nav.devices },
  { address: '/w/{workspace}/audit', name: texts.audit },
];

/** Links to a workspace's places: in the rail, else above its pages. */
export function WorkspaceLinks({ slug }: { readonly slug: string }) {
  const { path } = useLocation();
  return (
    <>
      {WORKSPACE_PLACES.map(({ address, name }) => {
        const href = address.replace('{workspace}', slug);
        // An event's page belongs to the events. All places are below the overview's path, which must match exactly.
        const isHere = path === href || (address !== '/w/{workspace}' && path.startsWith(`${href}/`));
        return (
          <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
            {name}
          </a>
        );
      })}
    </>
  );
}

/** Names the current workspace, linking the user's others. */
export function WorkspaceSwitch({ current }: { readonly current: Workspace }) {
  const { path } = useLocation();
  const others = useRunWorkspaces().filter(({ slug }) => slug !== current.slug);
  if (others.length === 0) {
    return (
      <p class="switch-name" dir="auto">
        {current.name}
      </p>
    );
  }
  return (
    // The key closes the list after each navigation.
    <details key={path}>
      <summary class="switch-name">
        <span class="said">{texts.workspace}</span> <bdi>{current.name}</bdi>
      </summary>
      {others.map(({ slug, name }) => (
        <a key={slug} class="switch-other" href={addressIn(slug, path)} dir="auto">
          {name}
        </a>
      ))}
    </details>
  );
}

/** Returns the same list in another workspace, never a single thing. */
function addressIn(slug: string, path: string): string {
  const [, place = ''] = /^\/w\/[^/]+(\/[^/]+)?/.exec(path) ?? [];
  return `/w/${slug}${place}`;
}
