export const texts = {
  title: 'Nothing here',
  text: 'There is no such page. It may have been moved, or the link is not complete.',
} as const;
