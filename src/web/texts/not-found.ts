export const texts = {
  title: 'Nothing here',
  text: 'There is no such page. It may have moved, or the link is incomplete.',
} as const;
