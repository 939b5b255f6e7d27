import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/process/package.ts';
import { FORBIDDEN, OPENING } from './docs/sentences.ts';

test('No comment of src begins with a condition or a clause, or has a forbidden word', () => {
  const files = readdirSync(packagePath('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .sort();
  assert.ok(files.length > 100);
  const faults = files.flatMap((file) =>
    commentsIn(readFileSync(join(packagePath('src'), file), 'utf8'))
      .filter((comment) => OPENING.test(comment) || FORBIDDEN.test(comment))
      .map((comment) => `${file}: ${comment}`),
  );
  assert.equal(faults, []);
});

test('Comments of several lines count as one', () => {
  const source = "/**\n * One\n * two.\n */\nconst a = 'https://b'; // three\n// Four\n// five.\n\n  /** Six. */";
  assert.equal(commentsIn(source), ['One two.', 'Six.', 'Four five.']);
});

test.run();

/** Returns the comments that stand on lines of their own, without line breaks. */
function commentsIn(source: string): readonly string[] {
  const blocks = [...source.matchAll(/^[ \t]*\/\*\*?(.*?)\*\//gms)].map(([, text = '']) =>
    text.replaceAll(/^\s*\* ?/gm, ''),
  );
  const lines = [...source.matchAll(/(?:^[ \t]*\/\/.*\n?)+/gm)].map(([text]) => text.replaceAll(/^[ \t]*\/\//gm, ''));
  return [...blocks, ...lines].map((text) => text.replaceAll(/\s+/g, ' ').trim());
}
