/** Translates an English error of the server. */
export const translateError = async (sentence: string): Promise<string> => sentence;
