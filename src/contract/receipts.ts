/** Time for a device to report that it has shown a push. */
export const RECEIPT_WITHIN_MS = 10 * 60_000;

/** Unreported pushes in a row that mean "not showing". */
export const MISSED_TO_BE_SILENT = 3;
