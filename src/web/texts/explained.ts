/** Translates the server's reason for a failed push. The server itself speaks English. */
export const explained = (text: string): string => text;
