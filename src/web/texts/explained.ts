/** What the server says of the reason of a failed push, in the language of the app. The server itself speaks English. */
export const explained = (text: string): string => text;
