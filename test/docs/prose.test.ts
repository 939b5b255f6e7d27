import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { proseFaults } from './sentences.ts';

const MOST_WORDS = 35;

test('Each sentence of README, SECURITY, CHANGELOG and docs is short, and begins with its subject', () => {
  const docs = readdirSync(packagePath('docs')).map((file) => `docs/${file}`);
  const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...docs];
  const faults = pages.flatMap((page) =>
    proseFaults(readFileSync(packagePath(page), 'utf8'), MOST_WORDS).map((fault) => ({ page, ...fault })),
  );
  assert.equal(faults, []);
});

test('Long sentences, forbidden openings and words are found in text, lists and tables, not in code', () => {
  const found = (markdown: string) => proseFaults(markdown, 5).map(({ rule, sentence }) => `${rule}: ${sentence}`);
  assert.equal(found('One two three. Four `a b c`\nfive [six seven](page.md).'), []);
  assert.equal(found('- One two three four five six.'), ['length: One two three four five six.']);
  assert.equal(found('Fine. Where it\nfails, stop.'), ['opening: Where it fails, stop.']);
  assert.equal(found('**What it is.** Text.'), ['opening: What it is.']);
  assert.equal(found('What is this?\n\n# Who may\n\n```sh\n# As before, mend it.\n```'), []);
  assert.equal(found('| As head: |\n|---|\n| a b c; d e f |\n| it is mended |'), ['word: it is mended']);
});

test.run();
