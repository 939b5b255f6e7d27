import type { Schema } from '../api/client.ts';

/** Says an error in this language. `details`: of the error or field; `sentence`: the server's English. */
export const translateError = async (_details: readonly Schema<'ErrorDetail'>[], sentence: string): Promise<string> =>
  sentence;
