import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { InProcessCli } from '../support/cli.ts';
import { helpPages } from '../support/help.ts';
import { literalsIn } from './literals.ts';
import { messageFaults } from './sentences.ts';

const MOST_WORDS = 25;

/** Folders whose texts are not ours: the sandbox answers in the words of the real services. */
const FOREIGN = /^sandbox\/(?:apns|fcm|webpush)\//;
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|JOIN|CAST|CASE|SET|AND)\b/;
/** Shell scripts, and the countries of the settings. */
const CODE = /\bcommandline\b|^(?:[A-Z]{2} ){5}/;

test('Each sentence of the help is short, and begins with its subject or a verb', async () => {
  const pages = await helpPages(new InProcessCli());
  assert.ok(pages.size > 80, String(pages.size));
  const faults = [...pages].flatMap(([path, { stdout }]) =>
    textsIn(stdout).flatMap((text) => messageFaults(text, MOST_WORDS).map((fault) => ({ path, ...fault }))),
  );
  assert.equal(faults, []);
});

test('No line of the help is wider than a terminal of 80 columns, examples included', async () => {
  const wide = [...(await helpPages(new InProcessCli()))].flatMap(([path, { stdout }]) =>
    stdout.split('\n').flatMap((line) => (line.length > 80 ? `${path}: ${line}` : [])),
  );
  assert.equal(wide, []);
});

test('Each sentence of messages, findings, advice and web texts is short, and begins with its subject or a verb', () => {
  const files = readdirSync(packagePath('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !FOREIGN.test(file))
    .sort();
  assert.ok(files.length > 700, String(files.length));
  const faults = files.flatMap((file) =>
    literalsIn(readFileSync(join(packagePath('src'), file), 'utf8'), file.endsWith('x'))
      .filter((text) => /\p{L} \S+ \S/u.test(text) && !SQL.test(text) && !CODE.test(text))
      .flatMap((text) => messageFaults(text, MOST_WORDS).map((fault) => ({ file, ...fault }))),
  );
  assert.equal(faults, []);
});

test('Clauses as subjects, forbidden words and long parts are found, in labels only the words', () => {
  const found = (text: string) => messageFaults(text, 8).map(({ rule, sentence }) => `${rule}: ${sentence}`);
  assert.equal(found('see the log; where that says nothing, restart it'), [
    'opening: where that says nothing, restart it',
  ]);
  assert.equal(found('what is wrong with it stands above'), ['opening: what is wrong with it stands above']);
  assert.equal(found('Where you are signed in'), []);
  assert.equal(found('What should be done with the old key?'), []);
  assert.equal(found('Was wartet, wird gesendet.'), ['opening: Was wartet, wird gesendet.']);
  assert.equal(found('mend it'), ['word: mend it']);
  assert.equal(found('one two three four five six; seven eight nine'), []);
  assert.equal(found('one two three four five six seven eight nine'), [
    'length: one two three four five six seven eight nine',
  ]);
});

test('Literals are read from strings and templates, also within each other, and from no import', () => {
  const nested = ['$', "{c ? 'two' : `three $", '{d}`}'].join('');
  const source = `import a from 'not this';\nconst b: 'or this' = \`one ${nested} four\`;\n// 'nor this'`;
  assert.equal(literalsIn(source), ['one ‹code› four', 'two', 'three ‹code›']);
});

test.run();

/** Returns the descriptions in a help page: without examples, and each without its line breaks. */
function textsIn(help: string): readonly string[] {
  return help
    .replace(/\nExamples:\n.*/s, '')
    .replaceAll(/\n {6,}/g, ' ')
    .replaceAll(/(?<=\S)\n(?=\S)/g, ' ')
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/).at(-1) ?? '');
}
