/** Loaded before a test file (file.ts): whatever imports `uvu/assert` gets the counting one. */
import { registerHooks } from 'node:module';

const COUNTING = new URL('./counted-assert.js', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'uvu/assert' && context.parentURL !== COUNTING
      ? { url: COUNTING, shortCircuit: true }
      : next(specifier, context),
});
