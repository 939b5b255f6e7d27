import { Shared } from '../shared.ts';

/** The alert that the tap on a notification has not acknowledged, nor this app since; null: none. */
export const failedTap = new Shared<string | null>(null);
