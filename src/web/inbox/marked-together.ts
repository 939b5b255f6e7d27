import { Shared } from '../shared.ts';

/** The events that were marked as read together, as long as that can be undone; null: none. */
export const markedTogether = new Shared<readonly string[] | null>(null);
