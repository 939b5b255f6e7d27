import type { Translation } from '../../translation.ts';
import type { texts as english } from '../browser-name.ts';

export const texts: Translation<typeof english> = { on: (browser, system) => `${browser} auf ${system}` };
