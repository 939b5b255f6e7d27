import { part } from '../part.tsx';

/** Loaded with the first alerts, so that the inbox shows them at once: nothing moves once it is shown. */
export const LiveAlerts = part(() => import('./live-alerts.tsx'));
