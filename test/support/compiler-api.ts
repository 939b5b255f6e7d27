import { registerHooks } from 'node:module';
import { ts } from '@ts-morph/common';

/**
 * Code generators write TypeScript by means of the compiler's own API, which TypeScript 7 has not. To be loaded before
 * them (`node --import`): a program that imports `typescript` then gets the compiler that ts-morph carries.
 */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
});

export default ts;
