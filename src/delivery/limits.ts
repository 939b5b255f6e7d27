import { LANES, type Lane, ROUTES } from '../push.ts';

/** Targets in a batch: enough to amortise a message and a transaction, few enough to keep a thread responsive. */
export const BATCH_SIZE = 100;

/**
 * How many pushes of one route may be in flight (claimed and not settled), for each delivery thread. Each lane has its
 * own limit: a large fan-out in the standard lane never delays urgent pushes, and held pushes delay no others.
 *
 * What is in flight when the process dies is sent again, so this also bounds the duplicates of a crash: 600 for each
 * route and thread (100 more to quarantined devices, which hardly ever arrive). And it bounds the throughput: with 50 ms to the
 * provider, 400 pushes in flight are at most 8,000 a second.
 */
export const IN_FLIGHT_A_THREAD: Readonly<Record<Lane, number>> = { urgent: 200, standard: 400, quarantine: 100 };

/** The most batches a thread can have: all that all routes may have in flight, each push in a batch of its own. */
export const BATCHES_A_THREAD = ROUTES.length * LANES.reduce((sum, lane) => sum + IN_FLIGHT_A_THREAD[lane], 0);
