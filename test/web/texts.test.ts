import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ts } from '@ts-morph/common';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { LANGUAGES as NAMED } from '../../src/web/chosen-language.ts';

type Texts = Readonly<Record<string, unknown>>;
interface WebTexts {
  readonly FIRST: string;
  readonly LANGUAGES: readonly string[];
  textsOf(language: string): Promise<Texts>;
  missingTexts(language: string): Promise<readonly string[]>;
}

const { FIRST, LANGUAGES, textsOf, missingTexts }: WebTexts = await import(
  pathToFileURL(packagePath('bin', 'web-texts.js')).href
);
const OTHERS = LANGUAGES.filter((language) => language !== FIRST);
const WEB = packagePath('src', 'web');

/** Texts that are the same in another language: names, and words that it has taken over. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Admin',
    'Android',
    'Apple (Sandbox)',
    'Browser',
    'Code',
    'Google (FCM)',
    'Heartbeats',
    'ID',
    'Info',
    'Link',
    'Name',
    'Passkeys',
    'Pushes',
    'Route',
    'Text',
    'Web Push, Apple',
    'Web Push, Google',
    'Web Push, Microsoft',
    'Web Push, Mozilla',
    'Webhooks',
    'iOS',
    'p99',
    'pushctl',
  ],
};

/** Strings in the code that look like a text and are none: names, codes, and commands to copy. */
const NO_TEXTS = [
  /^Samsung Internet$/,
  /^[A-Z]{2}( [A-Z]{2})+$/,
  /system-ui, sans-serif$/,
  /^pctl_$/,
  /"title": "It works"/,
];
/** Attributes that a person sees or hears. */
const SPOKEN = ['title', 'alt', 'label', 'placeholder', 'aria-label', 'aria-description', 'aria-roledescription'];

test('The languages to choose from are those that there are texts in', () => {
  assert.equal(Object.keys(NAMED).sort(), [...LANGUAGES].sort());
});

for (const language of OTHERS) {
  test(`Each text is there in each language: ${language}`, async () => {
    assert.equal(await missingTexts(language), []);
  });

  test(`No text is left in a language that the first one has no more: ${language}`, async () => {
    const [first, own] = [await textsOf(FIRST), await textsOf(language)];
    assert.equal(
      Object.keys(own).filter((file) => first[file] === undefined),
      [],
    );
  });

  test(`No text is still that of the first language: ${language}`, async () => {
    const [first, own] = [leaves(await textsOf(FIRST)), leaves(await textsOf(language))];
    const known = new Set(SAME[language]);
    const same = [...own].filter(([name, text]) => first.get(name) === text && isText(text) && !known.has(text));
    assert.equal(same, []);
  });
}

test('Components and what is beside them have no text of their own: each is in a catalogue', () => {
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts/'));
  assert.equal(
    code.flatMap((file) => textsIn(file).map((text) => `${file}: ${text}`)),
    [],
  );
});

test.run();

/** Each text by its name; one with values as its source, in which the words are. */
function leaves(texts: unknown, name = ''): Map<string, string> {
  if (typeof texts === 'string' || typeof texts === 'function') return new Map([[name, String(texts)]]);
  return new Map(Object.entries(texts ?? {}).flatMap(([key, text]) => [...leaves(text, `${name}.${key}`)]));
}

/** A function whose source has no words in quotation marks puts values together. */
function isText(text: string): boolean {
  const words = text.includes('=>')
    ? text.replaceAll(/\$\{[^}]*\}/g, '').match(/[`'"][^`'"]*\p{L}[^`'"]*[`'"]/u)
    : text;
  return words !== null && /\p{L}/u.test(String(words));
}

function textsIn(file: string): readonly string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, readFileSync(join(WEB, file), 'utf8'), ts.ScriptTarget.Latest, true, kind);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isForPrograms(node)) return;
    if (saysSomething(node) && !NO_TEXTS.some((none) => none.test(textOf(node)))) found.push(textOf(node).trim());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Imports, types, classes of elements and the like, errors and the console. */
function isForPrograms(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return ['class', 'rel'].includes(node.name.getText());
  if (ts.isNewExpression(node)) return node.expression.getText().endsWith('Error');
  return ts.isCallExpression(node) && node.expression.getText().startsWith('console.');
}

/** Any letters within an element, in an attribute that is read out or in a choice of plurals; else two words. */
function saysSomething(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return /\p{L}/u.test(node.text);
  if (!isPiece(node)) return false;
  const { parent } = node;
  const isSpoken = ts.isJsxAttribute(parent) && SPOKEN.includes(parent.name.getText());
  const isPlural = ts.isCallExpression(parent) && parent.expression.getText() === 'plural';
  return isSpoken || isPlural ? /\p{L}/u.test(node.text) : /\p{L} \p{L}|^ \p{L}+ $/u.test(node.text);
}

type Piece = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;

function isPiece(node: ts.Node): node is Piece {
  return ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

function textOf(node: ts.Node): string {
  return ts.isJsxText(node) || isPiece(node) ? node.text : '';
}
