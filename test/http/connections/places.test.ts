import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientAddresses } from '../../../src/http/client-address.ts';
import { Crowd, type Place, Places } from '../../../src/http/connections/places.ts';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';
import { createLog } from '../../../src/server/log.ts';

/** Eight places, four of a network, and who has lost theirs so far. */
function scene(trusted: readonly string[] = []) {
  const proven = new ProvenClients();
  const lines: string[] = [];
  const places = new Places({
    total: 8,
    perNetwork: 4,
    addresses: new ClientAddresses(trusted),
    proven,
    log: createLog('info', { write: (line) => lines.push(line) }),
    name: 'connections',
  });
  const ended: string[] = [];
  const enter = (name: string, remoteAddress: string, idleSinceMs: number | null = null): Place | null =>
    places.enter({ remoteAddress }, { idleSinceMs: () => idleSinceMs, end: () => ended.push(name) });
  const keep = (name: string, address: string, idleSinceMs: number | null = null) =>
    enter(name, address, idleSinceMs)?.keep();
  return { proven, ended, enter, keep, log: () => lines.join('') };
}

test('strangers have half of the places, and the oldest one of the fullest network gives way', () => {
  const { ended, enter, log } = scene();
  for (const name of ['a1', 'a2', 'a3']) enter(name, '192.0.2.1');
  enter('b1', '192.0.2.2');
  assert.equal(ended, []);
  enter('c1', '192.0.2.3');
  enter('d1', '192.0.2.4');
  assert.equal(ended, ['a1', 'a2']);
  assert.match(log(), '"closed":1,"turnedAway":0,"msg":"too many connections"');
});

test('the widest of IPv6 networks counts first', () => {
  const { ended, enter } = scene();
  for (let n = 1; n <= 3; n += 1) enter(`wide${n}`, `2001:db8:1:${n}00::1`);
  enter('other', '2001:db8:2::1');
  enter('new', '2001:db8:3::1');
  assert.equal(ended, ['wide1']);
});

test('a connection on which something was asked gives way after others of its network', () => {
  const { ended, enter } = scene();
  const [asking] = ['a1', 'a2', 'a3', 'a4'].map((name) => enter(name, '192.0.2.1'));
  asking?.asked();
  enter('b1', '192.0.2.2');
  enter('c1', '192.0.2.3');
  enter('d1', '192.0.2.4');
  assert.equal(ended, ['a2', 'a3', 'a4']);
});

test('networks whose keys were good have the other half, beside any number of strangers', () => {
  const { proven, ended, enter } = scene();
  proven.addNetwork('192.0.2.9');
  for (const name of ['g1', 'g2', 'g3', 'g4']) enter(name, '192.0.2.9');
  for (let n = 0; n < 40; n += 1) enter(`s${n}`, `198.51.100.${n}`);
  assert.is(ended.length, 36);
  assert.not(ended.some((name) => name.startsWith('g')));
});

test('a network that has become good is lined up with the good ones', () => {
  const { proven, ended, enter } = scene();
  const place = enter('good', '192.0.2.9');
  proven.addNetwork('192.0.2.9');
  place?.asked();
  for (let n = 0; n < 40; n += 1) enter(`s${n}`, `198.51.100.${n}`);
  assert.not(ended.includes('good'));
});

test('a client that has sent a complete request with a good key gives way only while idle, the idlest first', () => {
  const { ended, enter, keep } = scene();
  for (let n = 1; n <= 7; n += 1) keep(`k${n}`, `192.0.2.${n}`, n === 3 ? null : 10 - n);
  enter('stranger', '192.0.2.8');
  enter('new', '192.0.2.9');
  assert.equal(ended, ['stranger']);
  for (let n = 11; n <= 18; n += 1) keep(`k${n}`, `192.0.2.${n}`);
  assert.equal(ended, ['stranger', 'new', 'k7', 'k6', 'k5', 'k4', 'k2', 'k1']);
  assert.not(ended.includes('k3'));
});

test('a newcomer is turned away if all others are being answered', () => {
  const { ended, enter, keep, log } = scene();
  for (let n = 1; n <= 8; n += 1) keep(`k${n}`, `192.0.2.${n}`);
  assert.is(enter('new', '192.0.2.9'), null);
  assert.equal(ended, []);
  assert.match(log(), '"closed":0,"turnedAway":1,"msg":"too many connections"');
});

test('a network with all of its places gives up its own, however many are free', () => {
  const { ended, enter, keep } = scene();
  keep('idle', '192.0.2.1', 5);
  for (const name of ['busy1', 'busy2']) keep(name, '192.0.2.1');
  enter('stranger', '192.0.2.1');
  assert.not(enter('next', '192.0.2.1') === null);
  assert.equal(ended, ['stranger']);
  keep('kept', '192.0.2.1');
  assert.equal(ended, ['stranger', 'next']);
  enter('last', '192.0.2.1')?.keep();
  assert.equal(ended, ['stranger', 'next', 'idle']);
  assert.is(enter('none', '192.0.2.1'), null);
});

test('a trusted proxy has as many places as it needs, and gives way only while idle', () => {
  const { ended, enter } = scene(['192.0.2.1']);
  for (let n = 1; n <= 7; n += 1) enter(`p${n}`, '192.0.2.1', n === 2 ? 1 : null);
  enter('stranger', '192.0.2.2');
  enter('p8', '192.0.2.1');
  enter('p9', '192.0.2.1');
  assert.equal(ended, ['stranger', 'p2']);
  assert.is(enter('p10', '192.0.2.1'), null);
});

test('a place that is left is free again, once', () => {
  const { ended, enter } = scene();
  const left = enter('left', '192.0.2.1');
  left?.leave();
  left?.leave();
  for (let n = 2; n <= 5; n += 1) enter(`${n}`, `192.0.2.${n}`);
  assert.equal(ended, []);
  enter('6', '192.0.2.6');
  assert.equal(ended, ['2']);
});

interface Member {
  readonly groups: readonly string[];
}

const RUNS = { seed: 20261128, numRuns: 500 };

function fullest(members: readonly Member[], width: number): number {
  const sizes = [...Map.groupBy(members, ({ groups }) => groups[width]).values()].map(({ length }) => length);
  return Math.max(...sizes);
}

test('the client that gives way is in the fullest of the widest networks, and in the fullest network within it', () => {
  const paths = fc.tuple(fc.nat(3), fc.nat(2)).map(([wide, narrow]) => [`${wide}`, `${wide}.${narrow}`]);
  const steps = fc.array(fc.oneof(paths, fc.nat(30)), { maxLength: 60 });
  const property = fc.property(steps, (given) => {
    const crowd = new Crowd<Member>();
    let members: Member[] = [];
    for (const step of given) {
      if (typeof step === 'number') {
        const gone = members[step % Math.max(1, members.length)];
        if (gone !== undefined) crowd.delete(gone, gone.groups);
        members = members.filter((member) => member !== gone);
      } else {
        const member = { groups: step };
        crowd.add(member, step);
        members.push(member);
      }
      assert.is(crowd.size, members.length);
      const next = crowd.next();
      if (next === undefined) {
        assert.is(members.length + crowd.most, 0);
        continue;
      }
      const [wide, narrow] = next.groups;
      const neighbours = members.filter(({ groups }) => groups[0] === wide);
      const inside = neighbours.filter(({ groups }) => groups[1] === narrow);
      assert.equal([neighbours.length, crowd.most], [fullest(members, 0), fullest(members, 0)]);
      assert.is(inside.length, fullest(neighbours, 1));
      assert.is(inside[0], next);
      assert.is(crowd.in(next.groups)?.next(), next);
    }
  });
  fc.assert(property, RUNS);
});

test('one call takes as long with 50,000 networks as with few', () => {
  const crowd = new Crowd<number>();
  const networksOf = (n: number) => [`${n % 50_000}`, `${n}`];
  for (let n = 0; n < 50_000; n += 1) crowd.add(n, networksOf(n));
  // Looking at each network would be a billion steps.
  for (let n = 50_000; n < 150_000; n += 1) {
    crowd.add(n, networksOf(n));
    const next = crowd.next() ?? 0;
    crowd.delete(next, networksOf(next));
  }
  assert.is(crowd.size, 50_000);
});

test.run();
