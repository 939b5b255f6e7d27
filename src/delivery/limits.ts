import { LANES, type Lane, ROUTES } from '../push.ts';

/** Targets in a batch: enough to make messages and transactions worth while, few enough that no thread is long at one. */
export const BATCH_SIZE = 100;

/**
 * How many pushes of one route may be in flight (claimed and not settled), for each delivery thread. Urgent ones have room of
 * their own, so a large fan-out that fills all of the standard lane's never makes them wait; and what is held of suspects takes none of
 * anybody's.
 *
 * What is in flight when the process dies is sent again by the next one, so this bounds the duplicates of a crash as well: 600
 * for each route and thread (of suspects 100 more, which hardly ever arrive). And it is what a thread can carry: with 50 ms to the provider, 400 pushes in flight are at most
 * 8,000 a second.
 */
export const IN_FLIGHT_A_THREAD: Readonly<Record<Lane, number>> = { urgent: 200, standard: 400, suspect: 100 };

/** What a thread must be able to carry at a time: all that all routes may have in flight, were each push a batch of its own. */
export const BATCHES_A_THREAD = ROUTES.length * LANES.reduce((sum, lane) => sum + IN_FLIGHT_A_THREAD[lane], 0);
