import { run } from './program.ts';

// Otherwise ps and top show Node.js and arguments, such as tokens or addresses.
process.title = 'pushctl';
await run(process);
