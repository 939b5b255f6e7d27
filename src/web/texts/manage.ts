export const texts = {
  loading: 'Loading',
  undo: 'Undo',
  more: 'Show more',
  nothingFound: 'Nothing found',
  nothingFits: 'Nothing matches the search and filters.',
  noneYet: 'Nothing found so far.',
  lookFurther: 'Look further back',
  since: { label: 'Since', '': 'At any time', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' },
  notYours: {
    title: (workspace: string) => `Only owners and admins of ${workspace} see this`,
    text: 'You are a member: you get its events and choose which ones. To manage it, ask an owner to make you an admin.',
  },
  notThere: {
    title: 'No such workspace',
    text: 'You do not belong to a workspace of this name. Check the address, or ask one of its owners to invite you.',
  },
} as const;
