import { Shared } from '../shared.ts';

/** The alert that a notification's tap failed to acknowledge, not acknowledged by this app since; null: none. */
export const failedTap = new Shared<string | null>(null);
