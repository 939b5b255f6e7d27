import type { Platform, Route } from '../push.ts';

/**
 * The listeners: one per route, Google's token endpoint, and those of real browsers: Firefox (`autopush`), Chromium
 * (`gcm`: check-in and registration, `mcs`: pushes).
 */
export type EndpointName = Route | 'oauth' | 'autopush' | 'gcm' | 'mcs';

/** Names for people, of routes and endpoints. */
export const ROUTE_NAMES: Readonly<Record<Route, string>> = {
  apns_production: 'APNs',
  apns_sandbox: 'APNs sandbox',
  fcm: 'FCM',
  webpush_google: 'Google',
  webpush_mozilla: 'Mozilla',
  webpush_apple: 'Apple',
  webpush_microsoft: 'Microsoft',
  webpush_other: 'Web Push',
};
export const DEVICE_NAMES: Readonly<Record<Platform, string>> = { ios: 'iPhone', android: 'Pixel', web: 'Browser' };
