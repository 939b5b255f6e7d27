/** What the server says of an error, in the language of the app. The server itself speaks English. */
export const said = async (sentence: string): Promise<string> => sentence;
