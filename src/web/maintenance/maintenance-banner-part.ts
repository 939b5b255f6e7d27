import { part } from '../part.tsx';

/** Shared by the navigation, which preloads it, and the inbox. */
export const MaintenanceBanner = part(() => import('./maintenance-banner.tsx'));
