import { part } from '../part.tsx';

/** Loaded with the first alerts: nothing moves in the shown inbox. */
export const LiveAlerts = part(() => import('./live-alerts.tsx'));
