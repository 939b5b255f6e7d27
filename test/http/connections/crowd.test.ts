import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Crowd } from '../../../src/http/connections/places.ts';

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
