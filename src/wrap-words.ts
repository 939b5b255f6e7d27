/**
 * Breaks a text between its words into lines of at most `width` columns, for a text that people read: a terminal would
 * break it in the middle of a word. A longer word keeps a line of its own. Never a command: it is copied as it stands.
 */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const isRoom = last !== undefined && [...last].length + 1 + [...word].length <= width;
    if (isRoom) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
