import { once } from 'node:events';
import fc from 'fast-check';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quickened } from '../../../../src/http/senders/smtp/connection.ts';

const RUNS = { seed: 20261123, numRuns: 500 };
const PIECES = ['.', '..', '\r\n', '\n', '\r', 'a', '\r\n.', '\r\n..', '\r\n...', '\n..', '\n.', '\r\n..\r\n'];
const END = '\r\n.\r\n';

/** What a parser makes of a mail that comes in these pieces, and of the command behind it. */
async function parsed(parser: SMTPStream, pieces: readonly Buffer[]): Promise<readonly [mail: string, next: string]> {
  let next = '';
  parser.oncommand = (command, then) => {
    next += command;
    then?.();
  };
  const mail: Buffer[] = [];
  const stream = parser.startDataMode();
  stream.on('data', (chunk) => mail.push(chunk)).on('end', () => parser.continue());
  for (const piece of pieces) parser.write(piece);
  parser.end();
  await once(parser, 'finish');
  return [Buffer.concat(mail).toString(), next];
}

test('a mail is the same as smtp-server reads it, however its dots stand and its pieces are cut', async () => {
  const mails = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));
  const property = fc.asyncProperty(mails, fc.array(fc.nat(60), { maxLength: 6 }), async (mail, cuts) => {
    const whole = Buffer.from(`${mail}${END}NOOP\r\n`);
    const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((one, other) => one - other), whole.length];
    const pieces = at.slice(1).map((end, place) => whole.subarray(at[place], end));
    assert.equal(await parsed(quickened(new SMTPStream()), pieces), await parsed(new SMTPStream(), pieces));
  });
  await fc.assert(property, RUNS);
});

test('a second dot goes from each line that has one, and nothing else', async () => {
  const lines = ['..', '..a', '...', 'a..', '', '..', ''].join('\r\n');
  const [mail, next] = await parsed(quickened(new SMTPStream()), [Buffer.from(`x\r\n${lines}\r\n.\r\nQUIT\r\n`)]);
  assert.equal([mail, next], [`x\r\n${['.', '.a', '..', 'a..', '', '.', ''].join('\r\n')}\r\n`, 'QUIT']);
});

test.run();
