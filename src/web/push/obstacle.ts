/** As much of a browser as decides whether it can be a device. */
export interface Surroundings {
  readonly isSecureContext: boolean;
  readonly hasPush: boolean;
  /** undefined: the browser has no notifications. */
  readonly permission: NotificationPermission | undefined;
  readonly userAgent: string;
  readonly touchPoints: number;
  /** Opened from the Home Screen, not in a tab. */
  readonly isInstalled: boolean;
}

export type Obstacle = 'insecure' | 'install-first' | 'unsupported' | 'denied';

/** Why this browser cannot show pushes, the first thing to be done first; null: it can be asked. */
export function obstacleIn(browser: Surroundings): Obstacle | null {
  if (!browser.isSecureContext) return 'insecure';
  // A tab on iOS has no push, and an app on the Home Screen has.
  if (isIos(browser) && !browser.isInstalled) return 'install-first';
  if (!browser.hasPush || browser.permission === undefined) return 'unsupported';
  return browser.permission === 'denied' ? 'denied' : null;
}

/** Of the browser that this runs in. */
export function surroundings(): Surroundings {
  return {
    isSecureContext,
    hasPush: 'serviceWorker' in navigator && 'PushManager' in window,
    permission: 'Notification' in window ? Notification.permission : undefined,
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    isInstalled: matchMedia('(display-mode: standalone)').matches,
  };
}

/** An iPad calls itself a Mac, which has no touch screen. */
function isIos({ userAgent, touchPoints }: Surroundings): boolean {
  return /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && touchPoints > 1);
}
