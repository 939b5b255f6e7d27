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

const PREDICATE = /^#?(?:is|has|can|should)(?:$|[A-Z])|^use[A-Z]/;

/** Asynchronous functions may be verbs, since most of them act, but not in the third person. */
const THIRD_PERSON = /^#?(?:are|did|may|must|was|[a-z]*s)(?:$|[A-Z])/;

const MAYBE_BOOLEAN = /: (?:boolean|Promise<boolean>|\w+ is )|=> boolean| = (?:true|false)\b/;

/** Functions that change something and return whether they did. Their names are verbs. */
const ACTIONS: readonly string[] = [
  '#end',
  '#endIdlest',
  '#makeRoom',
  '#reloadCertificate',
  'admit',
  'answerChallenge',
  'giveBack',
  'mirror',
  'onMuted',
  'recordMuted',
  'refresh',
  'resume',
  'settleVapidKey',
  'skip',
  'takeTls',
  'takeTurn',
];

/** Older names that still have to be replaced. */
const OLDER: readonly string[] = ['allowPrivate', 'byKey', 'reaches'];

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

test('Functions, methods and parameters of src that are true or false are called is, has, can or should', () => {
  const faults = SOURCES.filter(({ file, text }) => file.startsWith('src') && MAYBE_BOOLEAN.test(text)).flatMap(
    ({ file, text }) => booleansIn(file, text).map((name) => `${file}: ${name}`),
  );
  assert.equal(faults, []);
});

test('A boolean is found as a function, a method, a parameter and a predicate, and not as a field', () => {
  const text = `
    function ready(): boolean {}
    async function covers(isNew: boolean, late = false, { quiet = true }: { loud: boolean }): Promise<boolean> {}
    async function end(): Promise<boolean> {}
    interface Queue { full(): boolean; fits: (text: string, whole: boolean) => boolean; isOpen: boolean; done: boolean }
    class Gate { open(): value is Gate {} #closed(): boolean {} }`;
  const found = ['ready', 'covers', 'late', 'full', 'fits', 'whole', 'open', '#closed'];
  assert.equal(booleansIn('src/queue.ts', text), found);
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

/** Returns the names of functions, methods and parameters that are true or false, or return that, without a predicate. */
function booleansIn(file: string, text: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    const isNamedSo = name === null || PREDICATE.test(name) || ACTIONS.includes(name) || OLDER.includes(name);
    if (!isNamedSo && (isTrueOrFalse(node) || (isTruePromise(node) && THIRD_PERSON.test(name)))) names.push(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return names;
}

function isCallable(node: ts.Node): node is ts.FunctionDeclaration | ts.MethodDeclaration | ts.MethodSignature {
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node);
}

function nameOf(node: ts.Node): string | null {
  if (!isCallable(node) && !ts.isParameter(node) && !ts.isPropertySignature(node)) return null;
  return node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)) ? node.name.text : null;
}

function isTrueOrFalse(node: ts.Node): boolean {
  if (isCallable(node)) return isBoolean(node.type);
  if (!ts.isParameter(node) && !ts.isPropertySignature(node)) return false;
  if (node.type && ts.isFunctionTypeNode(node.type)) return isBoolean(node.type.type);
  if (!ts.isParameter(node)) return false;
  return isBoolean(node.type) || /^(?:true|false)$/.test(node.initializer?.getText() ?? '');
}

function isTruePromise(node: ts.Node): boolean {
  return isCallable(node) && node.type?.getText() === 'Promise<boolean>';
}

function isBoolean(type: ts.TypeNode | undefined): boolean {
  return /^(?:boolean|\w+ is .+)$/.test(type?.getText() ?? '');
}
