/** The language of the texts beside: decides plurals and lists. */
export const language: string = 'en';
