import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Lanes } from '../../src/delivery/lanes.ts';

const lanes = suite('lanes');

lanes('the urgent lane comes first', () => {
  assert.equal(new Lanes({ urgent: 1, standard: 1 }).claimable(0), ['urgent', 'standard']);
});

lanes('a full standard lane leaves the urgent one its places', () => {
  const route = new Lanes({ urgent: 1, standard: 1 });
  route.leave('standard');
  assert.equal(route.claimable(0), ['urgent']);
  route.back('standard');
  assert.equal(route.claimable(0), ['urgent', 'standard']);
});

lanes('a lane that answered with nothing is not asked again before it is stirred', () => {
  const route = new Lanes({ urgent: 1, standard: 1 });
  for (const lane of ['urgent', 'standard'] as const) {
    route.asked(lane);
    route.answered(lane, false, null);
  }
  assert.equal(route.claimable(0), []);
  route.stir('standard');
  assert.equal(route.claimable(0), ['standard']);
});

lanes('a stir that comes while a claim is on its way is not lost', () => {
  const route = new Lanes({ urgent: 1, standard: 1 });
  route.asked('urgent');
  route.stir();
  route.answered('urgent', false, null);
  assert.ok(route.claimable(0).includes('urgent'));
});

lanes('a lane becomes claimable when what waits in it falls due', () => {
  const route = new Lanes({ urgent: 1, standard: 1 });
  route.asked('urgent');
  route.answered('urgent', false, null);
  route.asked('standard');
  route.answered('standard', false, 500);
  assert.is(route.wakeAtMs(), 500);
  assert.equal(route.claimable(499), []);
  assert.equal(route.claimable(500), ['standard']);
});

lanes.run();
