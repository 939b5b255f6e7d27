import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { onFreePort } from '../../../src/cli/demo/run.ts';
import { PortTaken } from '../../../src/http/listeners/listener.ts';

const test = suite('cli: port of the demo');

test('A port that another process takes between the look and the start counts as taken.', async () => {
  const lines: string[] = [];
  const tried: number[] = [];
  const start = async (port: number) => {
    tried.push(port);
    if (tried.length < 3) throw new PortTaken('taken meanwhile');
    return 'started';
  };
  assert.is(await onFreePort(47_000, start, (line) => lines.push(line)), 'started');
  assert.is(lines.length >= 2, true);
  assert.is(tried.length, 3);
  assert.match(lines.at(-1) ?? '', `Port ${(tried[2] ?? 0) - 1} is taken, trying ${tried[2]}.`);
});

test('If any port will do, a free port is found before the start, since links name it.', async () => {
  const port = await onFreePort(
    0,
    (port) => Promise.resolve(port),
    () => {},
  );
  assert.ok(port > 0);
});

test('Other errors at the start are not taken for a taken port.', async () => {
  const start = () => Promise.reject(new Error('another reason'));
  const error = await onFreePort(47_100, start, () => {}).catch((thrown: unknown) => thrown);
  assert.is((error as Error).message, 'another reason');
});

test.run();
