import { Shared } from '../shared.ts';

/** The events that were marked as read together, for as long as that can be taken back; null: none. */
export const markedTogether = new Shared<readonly string[] | null>(null);
