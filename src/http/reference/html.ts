/** Text that is HTML already, so nothing escapes it a second time. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/** Makes HTML of a template. Escapes every value that is not HTML itself; a list is joined, null leaves nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? textOf(parts[i] as Part) : '')).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Makes HTML of the part of Markdown that our descriptions use: code in backticks. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
