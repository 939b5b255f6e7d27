import { run } from './program.ts';

// For ps and top, which would show Node.js and, in its arguments, what may be a token or a person's address.
process.title = 'pushctl';
await run(process);
