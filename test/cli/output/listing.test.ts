import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../src/cli/context.ts';
import { toFailure } from '../../../src/cli/failure.ts';
import { type Listing, pagesOf, printPages } from '../../../src/cli/output/listing.ts';
import { table } from '../../../src/cli/output/table.ts';
import { OperatorProblem } from '../../../src/process/problem.ts';

const test = suite('cli: listing');

const NUMBERS: Listing<number> = {
  name: 'numbers',
  headings: ['NUMBER', 'TWICE'],
  rows: (number) => [[number, number * 2]],
  empty: 'No numbers.',
};
const MANY = 300_000;

test('A list of hundreds of thousands is one document.', async () => {
  const out = aContext({ json: true });
  await printPages(out.context, NUMBERS, numbersTo(MANY));
  const { numbers } = JSON.parse(out.text()) as { numbers: number[] };
  assert.is(numbers.length, MANY);
  assert.is(numbers.at(-1), MANY - 1);
  assert.ok(out.largestWrite() < 10_000, 'it is written page by page');
});

test('A list of hundreds of thousands is a table with the widths of its first page.', async () => {
  const out = aContext({ json: false });
  await printPages(out.context, NUMBERS, numbersTo(MANY));
  const lines = out.text().split('\n');
  assert.is(lines.length, MANY + 2);
  assert.equal(lines.slice(0, 2), ['NUMBER  TWICE', '0       0']);
  assert.is(lines.at(-2), '299999  599998');
});

test('A table that is made at once may have hundreds of thousands of rows.', () => {
  const rows = Array.from({ length: MANY }, (_, number) => [number]);
  assert.is(table(aContext({ json: false }).context, ['N'], rows, '').split('\n').length, MANY + 1);
});

test('A last cell that does not fit the terminal continues below itself, and stays whole if no table is drawn.', () => {
  const { context } = aContext({ json: false });
  const rows = [
    ['fcm', 'an operator paused it'],
    ['apns', null],
  ];
  const shown = (columns?: number) => {
    Object.assign(context.process.stdout, { columns });
    return table(context, ['ROUTE', 'WHY'], rows, '').split('\n');
  };
  assert.equal(shown(20), ['ROUTE  WHY', 'fcm    an operator', '       paused it', 'apns   -']);
  assert.equal(shown(), ['ROUTE  WHY', 'fcm    an operator paused it', 'apns   -']);
});

test('Columns beyond the edge of the terminal go on below their row, named, and nothing is left out but bars.', () => {
  const { context } = aContext({ json: false });
  const headings = ['EVENT', 'RECEIVED', 'TITLE', ' ', 'DEVICES'];
  const rows = [
    ['evt_1', 'yesterday', 'Build 7 has failed', '██', '2 accepted, 1 pending'],
    ['evt_22', 'today', null, ' ', 'none'],
  ];
  const shown = (columns?: number) => {
    Object.assign(context.process.stdout, { columns });
    return table(context, headings, rows, '').split('\n');
  };
  assert.equal(shown(30), [
    'EVENT   RECEIVED',
    'evt_1   yesterday',
    '  title: Build 7 has failed;',
    '  devices: 2 accepted, 1',
    '  pending',
    'evt_22  today',
    '  title: -; devices: none',
  ]);
  assert.is(shown()[0], 'EVENT   RECEIVED   TITLE                   DEVICES');
});

test('The text around a list is known by then: fields of the document, and text for a person.', async () => {
  let last = -1;
  const around = {
    head: () => ({ document: { first: 0 }, text: 'From 0\n' }),
    tail: () => ({ document: { last }, text: `To ${last}\n` }),
  };
  async function* pages() {
    for await (const page of numbersTo(3)) {
      last = page.at(-1) ?? last;
      yield page;
    }
  }
  const document = aContext({ json: true });
  await printPages(document.context, NUMBERS, pages(), around);
  assert.equal(JSON.parse(document.text()), { first: 0, numbers: [0, 1, 2], last: 2 });
  const text = aContext({ json: false });
  await printPages(text.context, NUMBERS, pages(), around);
  assert.match(text.text(), /^From 0\nNUMBER {2}TWICE\n(?:.*\n)*To 2\n$/);
});

test('A list without entries is an empty one in the document, and a sentence for a person.', async () => {
  const document = aContext({ json: true });
  await printPages(document.context, NUMBERS, numbersTo(0));
  assert.is(document.text(), '{"numbers":[]}\n');
  const text = aContext({ json: false });
  await printPages(text.context, NUMBERS, numbersTo(0));
  assert.is(text.text(), 'No numbers.\n');
});

test('Nothing is printed of a list that is refused.', async () => {
  const out = aContext({ json: true });
  const refusing = pagesOf('numbers', 10, (): Promise<NumberPage> => Promise.reject(new Error('refused')));
  const message = await printPages(out.context, NUMBERS, refusing).catch((error: Error) => error.message);
  assert.is(message, 'refused');
  assert.is(out.text(), '');
});

test('A list that breaks off is still one document and says why.', async () => {
  const out = aContext({ json: true });
  async function* breaking() {
    yield [1, 2];
    throw new OperatorProblem('the server ended.', 1, { advice: 'Start it.' });
  }
  const thrown = await printPages(out.context, NUMBERS, breaking()).catch((error) => error);
  const error = { code: 'failed', message: 'the server ended.', advice: 'Start it.' };
  assert.equal(JSON.parse(out.text()), { numbers: [1, 2], error });
  assert.equal(toFailure(thrown), { exitCode: 1, text: 'the server ended. Start it.', error: null });
});

test('No more is asked for than is wanted.', async () => {
  const asked: number[] = [];
  const pages = pagesOf('numbers', 700, async (limit, from = '0'): Promise<NumberPage> => {
    asked.push(limit);
    const first = Number(from);
    return { numbers: Array.from({ length: limit }, (_, index) => first + index), next: String(first + limit) };
  });
  const out = aContext({ json: true });
  await printPages(out.context, NUMBERS, pages);
  assert.equal(asked, [500, 200]);
  assert.is((JSON.parse(out.text()) as { numbers: number[] }).numbers.length, 700);
});

test.run();

interface NumberPage {
  readonly numbers: readonly number[];
  readonly next: string | null;
}

async function* numbersTo(end: number): AsyncGenerator<readonly number[]> {
  for (let from = 0; from === 0 || from < end; from += 500) {
    yield Array.from({ length: Math.min(500, end - from) }, (_, index) => from + index);
  }
}

/** A context that remembers what was printed, slowly. */
function aContext({ json }: { json: boolean }) {
  const parts: string[] = [];
  const stdout = new Writable({
    highWaterMark: 1,
    write: (chunk, _, done) => {
      parts.push(String(chunk));
      setImmediate(done);
    },
  });
  const context = { process: { stdout }, options: { json, color: false }, heading: (text: string) => text };
  return {
    context: context as unknown as CommandContext,
    text: () => parts.join(''),
    largestWrite: () => parts.reduce((most, { length }) => Math.max(most, length), 0),
  };
}
