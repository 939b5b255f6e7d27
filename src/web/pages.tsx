import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import type { AppAddress } from '../contract/app-addresses.ts';
import type { PageProps } from './components/page.tsx';
import { ProblemNote } from './components/problem-note.tsx';
import AlertsPage from './pages/alerts.tsx';
import EventPage from './pages/event.tsx';
import { Inbox } from './pages/inbox.tsx';
import { reloadAfterUpgrade } from './reload-after-upgrade.ts';
import { common } from './texts/common.ts';

/** Each address's page. The first paint's budget has room for what an alert needs; the others are loaded on demand. */
export const PAGES: Readonly<Partial<Record<AppAddress, ComponentType<PageProps>>>> = {
  '/': Inbox,
  '/inbox': Inbox,
  '/events/{event}': EventPage,
  '/alerts': AlertsPage,
  '/on-call': part(() => import('./pages/on-call.tsx')),
  '/channels': part(() => import('./pages/channels.tsx')),
  '/devices': part(() => import('./pages/devices.tsx')),
  '/settings': part(() => import('./pages/settings.tsx')),
  '/w/{workspace}': part(() => import('./pages/workspace/overview.tsx')),
  '/w/{workspace}/events': part(() => import('./pages/workspace/events.tsx')),
  '/w/{workspace}/events/{event}': part(() => import('./pages/workspace/event.tsx')),
  '/w/{workspace}/send': part(() => import('./pages/workspace/send.tsx')),
  '/w/{workspace}/channels': part(() => import('./pages/workspace/channels.tsx')),
  '/w/{workspace}/channels/{channel}': part(() => import('./pages/workspace/channel.tsx')),
  '/w/{workspace}/heartbeats': part(() => import('./pages/workspace/heartbeats.tsx')),
  '/w/{workspace}/on-call': part(() => import('./pages/workspace/on-call.tsx')),
  '/w/{workspace}/keys': part(() => import('./pages/workspace/keys.tsx')),
  '/w/{workspace}/webhooks': part(() => import('./pages/workspace/webhooks.tsx')),
  '/w/{workspace}/members': part(() => import('./pages/workspace/members.tsx')),
  '/w/{workspace}/members/{member}': part(() => import('./pages/workspace/member.tsx')),
  '/w/{workspace}/devices': part(() => import('./pages/workspace/devices.tsx')),
  '/w/{workspace}/devices/{device}': part(() => import('./pages/workspace/device.tsx')),
  '/w/{workspace}/audit': part(() => import('./pages/workspace/audit.tsx')),
};

/** `preload`: resolves once the part can be shown. */
type Part<Props> = ComponentType<Props> & { preload(): Promise<unknown> };

/** Loads a part when first shown. A message reports failures. */
export function part<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): Part<Props> {
  return lazy<ComponentType<Props>>(() =>
    load().catch(async () => {
      await reloadAfterUpgrade();
      return Missing;
    }),
  );
}

/** Offers to reload: browsers and loader remember failed imports. */
function Missing() {
  return <ProblemNote problem={{ message: common.problems.part }} retry={() => location.reload()} />;
}
