import type { Platform, Route } from '../push.ts';

/** What a push went through, and what it arrived at, for people. */
export const ROUTE_NAMES: Readonly<Record<Route, string>> = {
  apns_production: 'APNs',
  apns_sandbox: 'APNs sandbox',
  fcm: 'FCM',
};
export const DEVICE_NAMES: Readonly<Record<Platform, string>> = { ios: 'iPhone', android: 'Pixel' };
