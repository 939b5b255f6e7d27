/**
 * What finds an emoji by its name, as GitHub, Slack and ntfy write it. It takes 8 MB, which a server can do without to
 * which none sends any.
 */
export async function emojiByName(): Promise<(name: string) => string | undefined> {
  const { nameToEmoji } = await import('gemoji');
  return (name) => (Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined);
}
