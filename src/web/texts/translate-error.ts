/** Translates an error of the server. The server itself speaks English. */
export const translateError = async (sentence: string): Promise<string> => sentence;
