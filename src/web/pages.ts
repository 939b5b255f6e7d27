import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import type { AppAddress } from '../contract/app-addresses.ts';
import type { PageProps } from './page-props.ts';
import { Inbox } from './pages/inbox.tsx';

/** The page at each address. All but the first are loaded when they are shown. */
export const PAGES: Readonly<Partial<Record<AppAddress, ComponentType<PageProps>>>> = {
  '/': Inbox,
  '/inbox': Inbox,
  '/events/{event}': lazy(() => import('./pages/event.tsx')),
  '/channels': lazy(() => import('./pages/channels.tsx')),
  '/devices': lazy(() => import('./pages/devices.tsx')),
  '/settings': lazy(() => import('./pages/settings.tsx')),
  '/w/{workspace}': lazy(() => import('./pages/workspace/overview.tsx')),
  '/w/{workspace}/events': lazy(() => import('./pages/workspace/events.tsx')),
  '/w/{workspace}/events/{event}': lazy(() => import('./pages/workspace/event.tsx')),
  '/w/{workspace}/send': lazy(() => import('./pages/workspace/send.tsx')),
  '/w/{workspace}/channels': lazy(() => import('./pages/workspace/channels.tsx')),
  '/w/{workspace}/keys': lazy(() => import('./pages/workspace/keys.tsx')),
  '/w/{workspace}/members': lazy(() => import('./pages/workspace/members.tsx')),
  '/w/{workspace}/devices': lazy(() => import('./pages/workspace/devices.tsx')),
  '/w/{workspace}/audit': lazy(() => import('./pages/workspace/audit.tsx')),
};
