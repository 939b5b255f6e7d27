import { type FieldProblem, fieldProblem } from './details.ts';

/** Returns whether a text is a URL. `URL` is too lenient: trims blanks, drops line breaks, accepts `http:host`. */
export function isAbsoluteUrl(text: string, schemes: readonly string[]): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):[^\s\p{Cc}]+$/iu.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) return false;
  if (/^https?$/.test(scheme) && !/^https?:\/\/[^/?#\\]/i.test(text)) return false;
  return URL.canParse(text);
}

/** Names a URL's first wrong character; null: none. */
export function wrongCharacter(field: string, text: string): FieldProblem | null {
  const anywhere = /[\s\p{Cc}]/u.exec(text);
  if (anywhere !== null) {
    const [character] = anywhere;
    const at = positionIn(text, anywhere.index);
    if (character === ' ') return fieldProblem(field, 'url_space', { at });
    const instead = encodeURIComponent(character);
    return fieldProblem(field, 'url_control', { character: nameOf(character), at, instead });
  }
  const [, start = '', host = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\\]*)/i.exec(text) ?? [];
  const inHost = /[<>^|%]/.exec(host);
  if (inHost === null) return null;
  return fieldProblem(field, 'url_host', { character: inHost[0], at: positionIn(text, start.length + inHost.index) });
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Counts code points, like length limits. */
function positionIn(text: string, index: number): number {
  return [...text.slice(0, index)].length + 1;
}
