/** Draws a terminal from `tmux capture-pane -e`: text with its colours, nothing else. */

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
  readonly color: number | null;
}
interface Run {
  readonly style: Style;
  readonly text: string;
  /** In columns. */
  readonly at: number;
}

const PLAIN: Style = { bold: false, dim: false, inverse: false, color: null };
const COLORS = ['#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#dcdfe4'] as const;
const GROUND = '#1e2127';
const CELL = { width: 8.4, height: 18, font: 14 } as const;
const MARGIN = 14;

/** `title` is for those who cannot see the picture. */
export function toSvg(
  screen: string,
  { columns, title }: { readonly columns: number; readonly title: string },
): string {
  const lines = screen.replace(/\s+$/, '').split('\n');
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  let style = PLAIN;
  const rows = lines.map((line, index) => {
    const parsed = runsOf(line, style);
    style = parsed.style;
    return row(parsed.runs, MARGIN + index * CELL.height + CELL.font);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${CELL.font}" fill="${COLORS[7]}" xml:space="preserve">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function row(runs: readonly Run[], y: number): string {
  const spans = runs.filter(({ text }) => text.trim() !== '').map(span);
  return `<text y="${y}">${spans.join('')}</text>`;
}

/** Each run has its place and its length, so that the columns stay in line in whatever font there is. */
function span({ style, text, at }: Run): string {
  const shown = text.trimEnd();
  const x = round(MARGIN + at * CELL.width);
  const length = round([...shown].length * CELL.width);
  const look = [
    style.color === null ? '' : ` fill="${COLORS[style.color]}"`,
    style.bold ? ' font-weight="bold"' : '',
    style.dim ? ' opacity="0.6"' : '',
  ].join('');
  return `<tspan x="${x}" textLength="${length}"${look}>${escaped(shown)}</tspan>`;
}

function runsOf(line: string, before: Style): { runs: readonly Run[]; style: Style } {
  const runs: Run[] = [];
  let style = before;
  let at = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b[')) {
      style = part.slice(2, -1).split(';').map(Number).reduce(changed, style);
    } else if (part !== '') {
      runs.push({ style, text: part, at });
      at += [...part].length;
    }
  }
  return { runs, style };
}

function changed(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: null };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  return style;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
