import type { SenderFormat } from './format.ts';
import { NTFY } from './ntfy.ts';

/** The formats, by the name that stands in their addresses: `/senders/<name>`. */
export const SENDERS = {
  ntfy: NTFY,
} as const satisfies Readonly<Record<string, SenderFormat>>;

export type SenderName = keyof typeof SENDERS;
