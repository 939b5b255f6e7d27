import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { type Asker, NetworkTurns } from '../../../src/http/limits/sign-in-limits.ts';

const DAY_MS = 86_400_000;
/** More than may wait. */
const MANY = 200;

test('one at a time runs, and the others in the order in which they came', async () => {
  const line = aLine();
  line.come('a', 'b', 'c', 'd');
  assert.equal(await line.served(), ['a', 'b', 'c', 'd']);
});

test('networks take turns, however many requests one of them has waiting', async () => {
  const line = aLine();
  line.come('x1', ...Array.from({ length: 20 }, () => 'x1'), 'y1', 'z1', 'y1');
  assert.equal((await line.served()).slice(0, 6), ['x1', 'y1', 'z1', 'x1', 'y1', 'x1']);
});

test('if the line is full, the youngest request of the fullest network gives way', async () => {
  const line = aLine();
  line.come('first', ...Array.from({ length: MANY }, () => 'x1'));
  assert.is(await line.refused('x1'), MANY - 30);
  line.come(...Array.from({ length: 14 }, (_, n) => `good${n}`));
  assert.is(await line.refused('x1'), MANY - 16);
  const served = await line.served();
  assert.is(served.filter((network) => network.startsWith('good')).length, 14);
  assert.is(served.filter((network) => network === 'x1').length, 16);
});

test('an equal gets no place from those who were there before', async () => {
  const line = aLine();
  line.come('first', ...Array.from({ length: 30 }, (_, n) => `net${n}`), 'late');
  assert.is(await line.refused('late'), 1);
});

test('any number of small networks in a wide one count together, and so do some in a middling one', async () => {
  for (const path of [(n: number) => `wide/middle${n}/small${n}`, (n: number) => `wide/middle/small${n}`]) {
    const line = aLine();
    line.come('first', ...Array.from({ length: MANY }, (_, n) => path(n)));
    line.come(...Array.from({ length: 14 }, (_, n) => `good${n}`));
    assert.is(await line.refused('good'), 0);
    assert.equal((await line.served()).filter((network) => network.startsWith('good')).length, 14);
  }
});

test('places and every second turn are kept for networks that signed in lately, and for who is signed in', async () => {
  const line = aLine();
  line.turns.signedIn({ networks: ['home'] });
  line.come('first', ...Array.from({ length: MANY }, (_, n) => `net${n}`), 'home');
  line.comeKnown('person');
  assert.is((await line.refused('home')) + (await line.refused('person')), 0);
  const served = await line.served();
  assert.ok(served.indexOf('home') < 6 && served.indexOf('person') < 6, served.join());
});

test('a person who signed in a month ago is a stranger again', async () => {
  const line = aLine();
  line.turns.signedIn({ networks: ['home'] });
  line.atMs = 30 * DAY_MS;
  line.come('first', ...Array.from({ length: MANY }, (_, n) => `net${n}`), 'home');
  assert.is(await line.refused('home'), 1);
});

test('a network that signed in lately fills no more than the places that are kept', async () => {
  const line = aLine();
  line.turns.signedIn({ networks: ['home'] });
  line.come('first', ...Array.from({ length: 30 }, (_, n) => `net${n}`), ...Array.from({ length: MANY }, () => 'home'));
  assert.is(await line.refused('home'), MANY - 12);
  assert.is(await line.refused('net'), 0);
});

test.run();

/** Networks are written from wide to narrow, with slashes. Nothing that runs ends before `served` is called. */
function aLine() {
  const clock = { atMs: 0, steadyMs: () => clock.atMs };
  const turns = new NetworkTurns(1, clock);
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const refusals: string[] = [];
  const all: Promise<unknown>[] = [];
  const comeAs = (network: string, asker: Omit<Asker, 'networks'>) => {
    const work = async () => {
      await gate.promise;
      done.push(network);
    };
    const networks = network.split('/');
    all.push(
      turns
        .admit({ networks: networks.map((_, n) => networks.slice(0, n + 1).join('/')), ...asker }, work)
        .catch((error) => {
          assert.is(error instanceof ApiError && error.code, 'overloaded');
          refusals.push(network);
        }),
    );
  };
  return Object.assign(clock, {
    turns,
    come: (...networks: readonly string[]) => {
      for (const network of networks) comeAs(network, {});
    },
    comeKnown: (network: string) => comeAs(network, { isKnown: true }),
    async refused(begin: string): Promise<number> {
      await setImmediate();
      return refusals.filter((network) => network.startsWith(begin)).length;
    },
    async served(): Promise<readonly string[]> {
      gate.resolve();
      await Promise.all(all);
      return done;
    },
  });
}
