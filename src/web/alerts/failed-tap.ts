import { Shared } from '../shared.ts';

/**
 * The alert that a tap on a notification failed to acknowledge, and that this app has not acknowledged since; null:
 * none.
 */
export const failedTap = new Shared<string | null>(null);
