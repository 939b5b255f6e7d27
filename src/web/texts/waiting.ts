import { listed } from '../format/list.ts';

export const texts = {
  waits: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? 'is' : 'are'} waiting for your invitation link.`,
  open: 'Ask an admin of the workspace for the link, and open it here while you are signed in.',
  title: (name: string) => `${name} is waiting for your invitation link`,
  state: 'waiting for your invitation link: ask an admin of the workspace, and open the link here',
  as: (role: string) => `as ${role}: waiting for your invitation link`,
} as const;
