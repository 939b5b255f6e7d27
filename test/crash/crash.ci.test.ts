import { crashSuite } from './crash-suite.ts';

const crash = crashSuite('crash', [
  // The providers flap in the second round alone.
  {
    what: 'kill -9 under load, while the providers work and while they flap,',
    rounds: 3,
    signal: 'SIGKILL',
    flapping: true,
  },
  { what: 'a graceful stop', rounds: 1, signal: 'SIGTERM', flapping: false },
]);

crash.run();
