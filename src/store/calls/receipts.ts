/** Receipts: device reports of shown pushes. */
import { call, type Topic } from '../call.ts';

const FIRST: readonly Topic[] = ['receipts'];
const QUEUE: readonly Topic[] = ['queue'];
const NOTHING: readonly Topic[] = [];

export const RECEIPT_CALLS = {
  /** Finds a device token's person; null: a wrong token. */
  findReporter: call<Reporter, { readonly userId: number } | null>({ reads: true, internal: true }),
  /** Stores up to `MOST_REPORTS` device reports, answered in order; unchanged ones are `recorded` too. */
  recordReceipts: call<{ readonly reports: readonly Receipt[] }, readonly ReceiptAnswer[]>({
    internal: true,
    invalidates: (answers) =>
      answers.some((answer) => answer.kind === 'recorded' && answer.isFirst) ? FIRST : NOTHING,
  }),
  /**
   * Gives up some late reports, and finds devices that thereby count as not showing (`silent`: public ids). A person's
   * other devices get the notice in the same transaction: once, even after a crash. `nextInMs`: when to call again, at
   * the latest; null: no device reports.
   */
  missReceipts: call<Record<string, never>, { readonly nextInMs: number | null; readonly silent: readonly string[] }>({
    internal: true,
    isStep: true,
    events: 'adds',
    invalidates: ({ silent }) => (silent.length > 0 ? QUEUE : NOTHING),
  }),
};

/** Reports per call: each changes up to three rows. */
export const MOST_REPORTS = 100;

export interface Reporter {
  /** The device's public id. */
  readonly id: string;
  /** SHA-256 of the device token, hex. */
  readonly tokenHash: string;
}

export interface Receipt extends Reporter {
  readonly publicId: string;
  /** The time by the device's clock. */
  readonly atMs: number;
  readonly opened: boolean;
}

export type ReceiptAnswer =
  /** `isFirst`: the device's first report. */
  | { readonly kind: 'recorded'; readonly workspaceId: number; readonly isFirst: boolean }
  | { readonly kind: 'no_device' }
  /** The event does not exist, is another device's, or wants no receipt. */
  | { readonly kind: 'no_event' };
