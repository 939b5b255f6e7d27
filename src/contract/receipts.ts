/** How long a device that reports may take to say that it has shown a push. */
export const RECEIPT_WITHIN_MS = 10 * 60_000;

/** Pushes in a row without a report after which a device counts as not showing. */
export const MISSED_TO_BE_SILENT = 3;
