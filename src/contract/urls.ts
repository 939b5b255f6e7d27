/** `URL` is too lenient: trims blanks, drops line breaks, accepts `http:host`. */
export function isAbsoluteUrl(text: string, schemes: readonly string[]): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):[^\s\p{Cc}]+$/iu.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) return false;
  if (/^https?$/.test(scheme) && !/^https?:\/\/[^/?#\\]/i.test(text)) return false;
  return URL.canParse(text);
}

/** Names a URL's first wrong character, as the end of a sentence; null: none. */
export function wrongCharacter(text: string): string | null {
  const anywhere = /[\s\p{Cc}]/u.exec(text);
  if (anywhere !== null) {
    const [character] = anywhere;
    const at = positionIn(text, anywhere.index);
    return `must not contain ${nameOf(character)} (character ${at}): write ${encodeURIComponent(character)} or leave it out`;
  }
  const [, start = '', host = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\\]*)/i.exec(text) ?? [];
  const inHost = /[<>^|%]/.exec(host);
  if (inHost === null) return null;
  return `must not contain "${inHost[0]}" in its host name (character ${positionIn(text, start.length + inHost.index)})`;
}

function nameOf(character: string): string {
  if (character === ' ') return 'a space';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Counts code points, like length limits. */
function positionIn(text: string, index: number): number {
  return [...text.slice(0, index)].length + 1;
}
