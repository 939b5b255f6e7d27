import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * Replaces Node's 250 ms for each address, after which it gives up even answering ones. Hosts 300 ms away, and all
 * hosts after a lost first packet (sent again after a second), would be unreachable.
 */
const ATTEMPT_MS = 2_500;

setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
