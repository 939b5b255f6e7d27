import { Shared } from '../shared.ts';

/** The alert that a notification tap failed to acknowledge; null: none. */
export const failedTap = new Shared<string | null>(null);
