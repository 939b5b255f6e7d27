import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * A name may have addresses of both families, and one of them no way out. Node gives each address 250 ms, after which it
 * gives up even one that answers: no connection at all to a host that is 300 ms away, and none to any host once a first
 * packet is lost, which the system sends again after a second.
 */
export const ATTEMPT_MS = 2_500;

setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
