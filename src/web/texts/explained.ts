/** Translates the server's English reason for a failed push. */
export const explained = (text: string): string => text;
