import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/process/package.ts';
import { FORBIDDEN, OPENING, wordCount } from './docs/sentences.ts';

const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|css|sql)$/.test(file))
    .sort()
    .map((file) => join(folder, file)),
);
/** Opens a clause in the middle or at the end of a title. */
const RELATIVE = /, (?:which|who|whose|whom|(?:of|in|for|with) which)\b/;
const SOURCES = FILES.filter((file) => /\.tsx?$/.test(file));

test('No comment begins with a condition or a clause, or has a forbidden word', () => {
  assert.ok(SOURCES.length > 1_000);
  for (const kind of ['.css', '.sql']) assert.ok(FILES.filter((file) => file.endsWith(kind)).length > 10);
  const faults = FILES.flatMap((file) =>
    commentsIn(readFileSync(packagePath(file), 'utf8'))
      .filter((comment) => OPENING.test(comment) || FORBIDDEN.test(comment))
      .map((comment) => `${file}: ${comment}`),
  );
  assert.equal(faults, []);
});

test('The name of a test is one clause of at most 25 words, with its subject first and no forbidden word', () => {
  const titles = SOURCES.filter((file) => file.startsWith('test')).flatMap((file) =>
    titlesIn(readFileSync(packagePath(file), 'utf8')).map((title) => ({ file, title })),
  );
  assert.ok(titles.length > 2_000);
  const faults = titles
    .filter(({ title }) => {
      const isClause = OPENING.test(title.replace(/^./, (first) => first.toUpperCase()));
      return isClause || RELATIVE.test(title) || FORBIDDEN.test(title) || wordCount(title) > 25;
    })
    .map(({ file, title }) => `${file}: ${title}`);
  assert.equal(faults, []);
});

test('Comments of several lines count as one', () => {
  const source =
    "/**\n * One\n * two.\n */\nconst a = 'https://b'; // three\n// Four\n// five.\n\n  /** Six. */\n-- Seven\n-- eight.";
  assert.equal(commentsIn(source), ['One two.', 'Six.', 'Four five.', 'Seven eight.']);
});

test.run();

/** Returns the comments that stand on lines of their own, without line breaks. */
function commentsIn(source: string): readonly string[] {
  const blocks = [...source.matchAll(/^[ \t]*\/\*\*?(.*?)\*\//gms)].map(([, text = '']) =>
    text.replaceAll(/^\s*\* ?/gm, ''),
  );
  const lines = [...source.matchAll(/(?:^[ \t]*(?:\/\/|--).*\n?)+/gm)].map(([text]) =>
    text.replaceAll(/^[ \t]*(?:\/\/|--)/gm, ''),
  );
  return [...blocks, ...lines].map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** Returns the texts that stand before a function as the first argument of a call: the names of tests. */
function titlesIn(source: string): readonly string[] {
  const calls = /^ *(?:await )?[\w.]+\(\s*(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:async )?(?:\(|\w+ =>)/gm;
  return [...source.matchAll(calls)].map(([, , title = '']) => title);
}
