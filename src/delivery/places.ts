import { type Lane, ROUTES } from '../push.ts';

/** Targets in a batch: enough to keep a connection busy, few enough that an urgent push never waits long behind one. */
export const TARGETS_A_BATCH = 100;

/**
 * How many batches of one route may be out at a time, for each delivery thread. Urgent ones have places of their own, so a
 * large fan-out that fills all standard places never makes them wait.
 *
 * What is out when the process dies is sent again by the next one, so this bounds the duplicates of a crash as well: for
 * each route and thread 6 batches of 100 targets.
 */
export const PLACES_A_THREAD: Readonly<Record<Lane, number>> = { urgent: 2, standard: 4 };

/** What a thread must be able to carry at a time: all that all routes may have out, so that no batch waits for another. */
export const BATCHES_A_THREAD = ROUTES.length * (PLACES_A_THREAD.urgent + PLACES_A_THREAD.standard);
