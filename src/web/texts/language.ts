/** The language of the texts beside this: of their plurals and lists. */
export const language: string = 'en';
