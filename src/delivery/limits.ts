import { LANES, type Lane, ROUTES } from '../push.ts';

/** Targets in a batch: amortise message and transaction, yet keep threads responsive. */
export const BATCH_SIZE = 100;

/**
 * A route's pushes in flight (claimed, unsettled) for each delivery thread. Lanes have separate limits: fan-outs delay
 * no urgent pushes, held ones no others.
 *
 * The limit bounds the duplicates of a crash: 600 for each route and thread (and 100 to quarantined devices, which
 * hardly arrive). It bounds throughput too: with 50 ms to the provider, 400 in flight are 8,000 a second.
 */
export const IN_FLIGHT_A_THREAD: Readonly<Record<Lane, number>> = { urgent: 200, standard: 400, quarantine: 100 };

/** A thread's most batches: all routes' pushes in flight, each alone. */
export const BATCHES_A_THREAD = ROUTES.length * LANES.reduce((sum, lane) => sum + IN_FLIGHT_A_THREAD[lane], 0);
