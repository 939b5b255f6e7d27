import { run } from './program.ts';

// Otherwise ps and top would show Node.js, and arguments that may be a token or a person's address.
process.title = 'pushctl';
await run(process);
