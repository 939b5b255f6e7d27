import { hash } from 'node:crypto';

/** Two tries within one of these, or in two that follow each other, are of one notification. */
const PERIOD_MS = 20_000;

/**
 * The idempotency keys of a notification: the one to store its event under, and the one that it was stored under if it
 * came in the period before.
 *
 * Alertmanager's repeats look like the first notification, byte for byte, and so do its tries after a lost answer: only
 * time tells them apart. It tries again within a second or two, then ever more slowly, while `group_interval` lasts;
 * repeats come at `repeat_interval`, minutes or hours later. So what comes again within 20 to 40 seconds is a further
 * try, and whatever comes later is a repeat.
 *
 * `notification`: what is the same in all tries, and in no other notification at the time.
 */
export function notificationKeys(notification: string, wallMs: number): readonly [current: string, before: string] {
  const period = Math.floor(wallMs / PERIOD_MS);
  const digest = hash('sha256', notification);
  return [`notification:${digest}:${period}`, `notification:${digest}:${period - 1}`];
}
