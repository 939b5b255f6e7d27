/** The language of the texts beside this file, which decides their plurals and lists. */
export const language: string = 'en';
