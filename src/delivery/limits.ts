import { LANES, type Lane, ROUTES } from '../push.ts';

/** Targets in a batch: enough to amortise a message and a transaction, few enough to keep a thread responsive. */
export const BATCH_SIZE = 100;

/**
 * The most pushes of a route in flight (claimed and not settled) for each delivery thread. Each lane has its own limit:
 * a large fan-out never delays urgent pushes, and held pushes delay no others.
 *
 * Pushes in flight are sent again after a crash, so the limit also bounds the duplicates: 600 for each route and thread
 * (and 100 to quarantined devices, which hardly ever arrive). It bounds the throughput too: with 50 ms to the provider,
 * 400 pushes in flight are at most 8,000 a second. Threads that have not started count as well: the others send their
 * part.
 */
export const IN_FLIGHT_A_THREAD: Readonly<Record<Lane, number>> = { urgent: 200, standard: 400, quarantine: 100 };

/** The most batches of a thread: all pushes that all routes may have in flight, each in its own batch. */
export const BATCHES_A_THREAD = ROUTES.length * LANES.reduce((sum, lane) => sum + IN_FLIGHT_A_THREAD[lane], 0);
