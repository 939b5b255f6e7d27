import { Shared } from '../shared.ts';

/** The events marked as read together while undo is possible; null: none. */
export const markedTogether = new Shared<readonly string[] | null>(null);
