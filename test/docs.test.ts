/** Checks what README and the pages of docs name: files, headings and commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgram } from '../src/cli/program.ts';
import { PUSH_RESULTS } from '../src/contract/push-results.ts';
import { readSchema } from '../src/contract/schemas.ts';
import { packagePath } from '../src/process/package.ts';

const test = suite('documentation');

const DOCS = readdirSync(packagePath('docs')).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...DOCS.map((name) => `docs/${name}`)];
const README_LINES = 120;
const CHANGELOG_LINES = 40;

test('Each reason why somebody did not get a push is documented, by the name that the API gives it', () => {
  const documented = [...textOf('docs/events.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, result]) => result);
  assert.equal(
    Object.keys(PUSH_RESULTS).filter((result) => !documented.includes(result)),
    [],
  );
  assert.equal(readSchema('push-result').enum, Object.keys(PUSH_RESULTS));
});

test('README is read in five minutes, and CHANGELOG lists nothing before 1.0.0', () => {
  assert.ok(linesOf('README.md') <= README_LINES);
  assert.ok(/^## \[?\d/m.test(textOf('CHANGELOG.md')) || linesOf('CHANGELOG.md') <= CHANGELOG_LINES);
});

test('Each link of README, SECURITY, CHANGELOG and docs leads to a file and a heading that exist', () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  assert.ok(links.length > DOCS.length);
  const broken = links.filter(({ page, link }) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
    if (!existsSync(packagePath(target))) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
  assert.equal(broken, []);
});

test('README leads to each page of docs in one click', () => {
  const linked = new Set(linksOf('README.md').map((link) => link.split('#')[0]));
  assert.equal(
    DOCS.filter((name) => !linked.has(`docs/${name}`)),
    [],
  );
});

test('Each command that README and docs name is one that pushctl has, with these options and arguments', async () => {
  const lines = PAGES.flatMap(commandsOf);
  assert.ok(lines.length > PAGES.length);
  const found = await Promise.all(lines.map(async (line) => `${line}: ${await problemOf(wordsOf(line))}`));
  assert.equal(
    found.filter((text) => !text.endsWith(': none')),
    [],
  );
});

test('No recipe passes output as an argument, as no program starts with one above 128 KiB', () => {
  const wrong = PAGES.flatMap((page) => textOf(page).match(/(?:-d|--data\S*) "?\$(?!PUSHCTL|GITHUB).*/g) ?? []);
  assert.equal(wrong, []);
});

test('The page of commands names each command of pushctl', async () => {
  const page = textOf('docs/commands.md');
  const program = await createProgram(process);
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name());
  assert.ok(names.length > 1);
  assert.equal(
    names.filter((name) => name !== 'help' && !new RegExp(`\`${name}[\` ]`).test(page)),
    [],
  );
});

test.run();

function textOf(page: string): string {
  return readFileSync(packagePath(page), 'utf8');
}

function linesOf(page: string): number {
  return textOf(page).trimEnd().split('\n').length;
}

/** Returns the page without its blocks of code. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/^( *)```.*?^\1```$/gms, '');
}

/** Returns the relative targets of links and pictures. */
function linksOf(page: string): readonly string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? '',
  );
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns the anchors that GitHub makes of the headings, and those that the page has itself. */
function anchorsOf(page: string): ReadonlySet<string> {
  const prose = proseOf(page);
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

/** Returns the lines of its blocks of code that call pushctl, from its name to the end of the command. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^( *)```(?:sh)?\n(.*?)^\1```$/gms)].map(([, , block = '']) => block);
  const lines = blocks.join('\n').replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const [, command] =
      /^ *(?:[A-Z_]+=\S+ )?(?:sudo )?(?:bin\/)?pushctl (\S.*?)(?: +[#>|].*| && .*)?$/.exec(line) ?? [];
    return command === undefined ? [] : [command];
  });
}

/** Splits as a shell does. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|((?:\$\(.*?\)|\S)+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Parses a command and stops before its action. Returns what is wrong with the command, or `none`. */
async function problemOf(words: readonly string[]): Promise<string> {
  const [isFine, nowhere] = [new Error('none'), { write: () => true }];
  const silent = Object.create(process, { stdout: { value: nowhere }, stderr: { value: nowhere } });
  const program = await createProgram(silent);
  program.hook('preAction', () => {
    throw isFine;
  });
  try {
    program.parse(words, { from: 'user' });
    return 'it does nothing';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
