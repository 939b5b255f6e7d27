import { crashSuite } from './crash-suite.ts';
import { sizeFrom } from './size-from.ts';

const ROUNDS = sizeFrom('CRASH_ROUNDS', 20);
const STOPS = Math.ceil(ROUNDS / 5);

const crash = crashSuite('crash, round after round', [
  { what: `kill -9 under load, ${ROUNDS} times,`, rounds: ROUNDS, signal: 'SIGKILL', flapping: true },
  { what: `a graceful stop, ${STOPS} times,`, rounds: STOPS, signal: 'SIGTERM', flapping: false },
]);

crash.run();
