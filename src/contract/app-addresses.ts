/**
 * The addresses of the web app's pages: the server answers each with the same page, and the app shows there what it has.
 * Below `/w/{workspace}` is what owners and admins see of a workspace that they run.
 */
export const APP_ADDRESSES = [
  '/',
  '/inbox',
  '/events/{event}',
  '/alerts',
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
  '/w/{workspace}/keys',
  '/w/{workspace}/webhooks',
  '/w/{workspace}/members',
  '/w/{workspace}/members/{member}',
  '/w/{workspace}/devices',
  '/w/{workspace}/devices/{device}',
  '/w/{workspace}/audit',
] as const;

export type AppAddress = (typeof APP_ADDRESSES)[number];
