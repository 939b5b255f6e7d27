/** Properties that decide whether a browser can be a device. */
export interface Surroundings {
  readonly isSecureContext: boolean;
  readonly hasPush: boolean;
  /** undefined: the browser has no notifications. */
  readonly permission: NotificationPermission | undefined;
  readonly userAgent: string;
  readonly touchPoints: number;
  /** Whether the app was opened from the Home Screen, not in a tab. */
  readonly isInstalled: boolean;
}

export type Obstacle = 'insecure' | 'install-first' | 'unsupported' | 'denied';

/** Returns the first obstacle to pushes in this browser; null: it can be asked. */
export function obstacleIn(browser: Surroundings): Obstacle | null {
  if (!browser.isSecureContext) return 'insecure';
  // iOS has push only for apps on the Home Screen.
  if (isIos(browser) && !browser.isInstalled) return 'install-first';
  if (!browser.hasPush || browser.permission === undefined) return 'unsupported';
  return browser.permission === 'denied' ? 'denied' : null;
}

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

/** Recognizes iPads, which claim to be Macs but have a touch screen. */
function isIos({ userAgent, touchPoints }: Surroundings): boolean {
  return /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && touchPoints > 1);
}
