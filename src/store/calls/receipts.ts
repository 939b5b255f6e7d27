/** Calls about receipts: what devices report that they have shown. */
import { call, type Topic } from '../call.ts';

const FIRST: readonly Topic[] = ['receipts'];
const QUEUE: readonly Topic[] = ['queue'];
const NOTHING: readonly Topic[] = [];

export const RECEIPT_CALLS = {
  /** Finds the person of a device by its device token; null: the token is not the device's. */
  findReporter: call<Reporter, { readonly userId: number } | null>({ reads: true, internal: true }),
  /**
   * Stores reports of devices, up to `MOST_REPORTS` at once, and answers each in its place. A report that changes nothing
   * is `recorded` as well.
   */
  recordReceipts: call<{ readonly reports: readonly Receipt[] }, readonly ReceiptAnswer[]>({
    internal: true,
    invalidates: (answers) =>
      answers.some((answer) => answer.kind === 'recorded' && answer.isFirst) ? FIRST : NOTHING,
  }),
  /**
   * Gives up some reports that did not come in time, and finds the devices that are not showing by it (`silent`: their
   * public ids). A person's other devices get the notice in the same transaction, so it is sent once even after a crash.
   * `nextInMs`: when to call again, at the latest; null: no device reports.
   */
  missReceipts: call<Record<string, never>, { readonly nextInMs: number | null; readonly silent: readonly string[] }>({
    internal: true,
    isStep: true,
    events: 'adds',
    invalidates: ({ silent }) => (silent.length > 0 ? QUEUE : NOTHING),
  }),
};

/** Reports that one call takes: each changes up to three rows. */
export const MOST_REPORTS = 100;

export interface Reporter {
  /** Public id of the device. */
  readonly id: string;
  /** SHA-256 of the device token, hex. */
  readonly tokenHash: string;
}

export interface Receipt extends Reporter {
  readonly publicId: string;
  /** When the device showed or opened it, by its clock. */
  readonly atMs: number;
  readonly opened: boolean;
}

export type ReceiptAnswer =
  /** `isFirst`: the device has never reported before. */
  | { readonly kind: 'recorded'; readonly workspaceId: number; readonly isFirst: boolean }
  | { readonly kind: 'no_device' }
  /** The event does not exist, was not for this device, or asks for no receipt. */
  | { readonly kind: 'no_event' };
