/** Opens a sentence that turns a clause or a condition into its subject. */
export const OPENING = /^(?:Of|By|As|For|Where|Who|What|Whoever|Whatever)\b/;

export const FORBIDDEN =
  /\b(?:anew|whoever|where it is|answers whether|mend(?:s|ed|ing)?|hear(?:s|d)? of|stay(?:s|ed)? away)\b/i;

/** The same in messages, which may have neither capitals nor full stops. Up to five words may be a label: `Where you are signed in`. */
const CLAUSE = /^(?:Where|Who|Whoever|What|Whatever)\b/i;
const LABEL_WORDS = 5;

/** Descriptions of operations and fields may name their audience or purpose alone: `For owners.` */
const PURPOSE = /^For\b/;

/** German sentences that begin so and end with a full stop have a clause as their subject. */
const GERMAN_CLAUSE = /^(?:Wer|Was|Wo|Wohin|Wofür)\b.*\.$/;

export interface ProseFault {
  readonly rule: 'length' | 'opening' | 'word';
  readonly sentence: string;
}

/** Returns the sentences of a page of Markdown that readers read twice. */
export function proseFaults(markdown: string, mostWords: number): readonly ProseFault[] {
  return sentencesOf(markdown).flatMap((sentence) => faultsOf(sentence, mostWords));
}

/** Returns the parts of a help text or message that readers read twice. Semicolons end a part. */
export function messageFaults(text: string, mostWords: number): readonly ProseFault[] {
  const parts = sentencesOf(text).flatMap((sentence) => sentence.split('; '));
  return parts.flatMap((sentence) => {
    const faults = faultsOf(sentence, mostWords).filter(({ rule }) => rule !== 'opening' || !PURPOSE.test(sentence));
    const isClause = CLAUSE.test(sentence) && wordCount(sentence) > LABEL_WORDS && !sentence.endsWith('?');
    if (faults.length > 0 || !(isClause || GERMAN_CLAUSE.test(sentence))) return faults;
    return [{ rule: 'opening', sentence } as const];
  });
}

function faultsOf(sentence: string, mostWords: number): readonly ProseFault[] {
  return [
    ...(wordCount(sentence) > mostWords ? [{ rule: 'length', sentence } as const] : []),
    ...(OPENING.test(sentence) && /[.!:]$/.test(sentence) ? [{ rule: 'opening', sentence } as const] : []),
    ...(FORBIDDEN.test(sentence) ? [{ rule: 'word', sentence } as const] : []),
  ];
}

/** Returns the sentences outside of code, headings and the heads of tables. Inline code is one word, and cells of tables list their parts by semicolons. */
export function sentencesOf(markdown: string): readonly string[] {
  const prose = markdown
    .replaceAll(/^( *)```.*?^\1```$/gms, '\n\n')
    .replaceAll(/<!--.*?-->|<[a-z/][^>]*>/gs, ' ')
    .replaceAll(/^#+ .*$/gm, '\n')
    .replaceAll(/^ *\|.*\|\n *\|[-:| ]+\|$/gm, '\n')
    .replaceAll(/``[^`].*?``|`[^`]*`/gs, '‹code›')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gs, '$1')
    .replaceAll(/\*\*|(?<!\w)[_*](?=\w)|(?<=[\w.])[_*](?!\w)/g, '');
  const blocks = prose
    .replaceAll(/^ *\|(.*)\|$/gm, (_, row: string) => `\n${row.replaceAll(/(?<!\\)\||;/g, '\n\n')}\n`)
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, '\n')
    .split(/\n\s*\n/);
  return blocks
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .flatMap((block) => block.split(/(?<=[.!?…]["”’)]*) +(?=["“(]?(?:[\p{Lu}\p{N}‹]|pushctl))/u))
    .filter((sentence) => /\p{L}/u.test(sentence.replaceAll('‹code›', '')));
}

export function wordCount(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
