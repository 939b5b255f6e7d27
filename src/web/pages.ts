import type { ComponentType } from 'preact';
import type { AppAddress } from '../contract/app-addresses.ts';
import type { PageProps } from './components/page.tsx';
import AlertsPage from './pages/alerts.tsx';
import EventPage from './pages/event.tsx';
import { Inbox } from './pages/inbox.tsx';
import { part } from './part.tsx';

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
