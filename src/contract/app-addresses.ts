/**
 * Addresses of the web app, which all get the same page. Owners and admins manage a workspace below `/w/{workspace}`.
 */
export const APP_ADDRESSES = [
  '/',
  '/inbox',
  '/events/{event}',
  '/alerts',
  '/on-call',
  '/channels',
  '/devices',
  '/settings',
  '/w/{workspace}',
  '/w/{workspace}/events',
  '/w/{workspace}/events/{event}',
  '/w/{workspace}/send',
  '/w/{workspace}/channels',
  '/w/{workspace}/channels/{channel}',
  '/w/{workspace}/heartbeats',
  '/w/{workspace}/on-call',
  '/w/{workspace}/keys',
  '/w/{workspace}/webhooks',
  '/w/{workspace}/members',
  '/w/{workspace}/members/{member}',
  '/w/{workspace}/devices',
  '/w/{workspace}/devices/{device}',
  '/w/{workspace}/audit',
] as const;

export type AppAddress = (typeof APP_ADDRESSES)[number];
