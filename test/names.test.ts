import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/process/package.ts';

/** Words that say nothing about the thing. A longer name may hold words of the first group. */
const VAGUE =
  /^(?:one|its|each|these|anew|mend|MEND)$|(?:^|[a-z_])said(?:$|[A-Z_])|Said|(?:^|_)beside(?:$|[A-Z0-9_])|Beside|BESIDE/;

/** A bare word that can be a name, not a member: cheaper than parsing all files, whose comments have these words too. */
const CANDIDATE =
  /(?<![\w.'-])(?:one|its|each|these|anew|mend|MEND)\s*(?:[,:;=)}\]?]|=>|of\b|\()|(?:said|beside)[A-Z_\s,:;=)}\]?(]|Said|Beside|BESIDE/;

/** Names in code that is a text here: scripts for browsers, examples of pages. */
const IN_TEXT = /\((?:one|its|each|these)(?:, \w+)*\) =>|\b(?:const|let) (?:one|its|each|these)\b/;

const PREDICATE = /^(?:is|has|can|should)(?:$|[A-Z])|^use[A-Z]/;

/** Functions that change something and return whether they did. Their names are verbs. */
const ACTIONS: readonly string[] = ['mirror', 'recordMuted', 'resume', 'settleVapidKey', 'takeTurn'];

interface Source {
  readonly file: string;
  readonly text: string;
}

const SOURCES = ['src', 'test', 'bin'].flatMap((folder) =>
  readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|js)$/.test(file))
    .sort()
    .map((file): Source => ({ file: join(folder, file), text: readFileSync(join(packagePath(folder), file), 'utf8') })),
);

test('No variable, parameter, function, property or file has a vague name', () => {
  assert.ok(SOURCES.length > 1_000);
  assert.equal(SOURCES.flatMap(vagueNames), []);
});

test('No script in a text or a page has a vague name', () => {
  const pages = readdirSync(packagePath('docs')).map((name): Source => {
    const file = join('docs', name);
    return { file, text: readFileSync(packagePath(file), 'utf8') };
  });
  const faults = [...SOURCES, ...pages].filter(({ text }) => IN_TEXT.test(text)).map(({ file }) => file);
  assert.equal(faults, []);
});

test('Functions of src that return a boolean are called is, has, can or should', () => {
  const faults = SOURCES.filter(({ file }) => file.startsWith('src')).flatMap(({ file, text }) =>
    [...text.matchAll(/^ *(?:export )?function (\w+)(?:<.*>)?\((?:.*|\n(?: .*\n)+)\): (?:boolean|\w+ is .+) \{$/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !PREDICATE.test(name) && !ACTIONS.includes(name))
      .map((name) => `${file}: ${name}`),
  );
  assert.equal(faults, []);
});

test('Vague names are found wherever a name can be declared, and not in comments, texts or members of others', () => {
  const text = `
    // one, two
    const [one, { its: other, each }] = f('these', others.each(x), (said: string) => said);
    interface Beside { readonly saidAgain: () => void; readonly oneByOne: number }`;
  assert.equal(
    vagueNames({ file: 'src/web/said-again.ts', text }).map((fault) => fault.replace(/.*: /, '')),
    ['said-again', 'one', 'each', 'said', 'Beside', 'saidAgain'],
  );
});

test.run();

function vagueNames({ file, text }: Source): readonly string[] {
  const names = file.split('/').flatMap((part) => (/^(?:said|beside)(?![a-z])/.test(part) ? part.split('.')[0] : []));
  const found = (name: string) => names.push(name);
  if (CANDIDATE.test(text)) visitNames(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), found);
  return names.map((name) => `${file}: ${name}`);
}

function visitNames(node: ts.Node, found: (name: string) => void): void {
  if (ts.isIdentifier(node) && isDeclaration(node) && VAGUE.test(node.text)) found(node.text);
  ts.forEachChild(node, (child) => visitNames(child, found));
}

function isDeclaration(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent);
}
