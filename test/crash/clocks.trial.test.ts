import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertEach } from '../support/assert-each.ts';
import { concurrently } from '../support/concurrently.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { type Shown, shownBy } from '../support/shown.ts';
import { until, untilIs } from '../support/until.ts';
import { additionsTo } from '../support/workspace.ts';
import { type ClockScene, overPostgres, overSqlite } from './clock-scenes.ts';

const suiteOfAll = suite('clocks and outages');
const test = concurrently(suiteOfAll);

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const OUTAGE_MS = 10 * MINUTE_MS;
const JOBS = 100;
/** A mark is made each ten seconds. */
const MARK_AGE_MS = 9_000;
const ROUND_DEADLINE_MS = 3 * MINUTE_MS;

/** `isSteady`: a clock that is set while the server runs is not that of its queue. */
for (const [what, sceneOver, isSteady] of [
  ['a server over SQLite', overSqlite, true],
  ['the PostgreSQL of two servers', overPostgres, false],
] as const) {
  test(`However the clock of ${what} is set, and after ten minutes away, no job is down and no alert is lost`, async () => {
    await using opened = new Resources();
    const scene = await sceneOver(opened);
    const { openAlert, shownOf, remindersOf, pingAll, nothingIsDown } = await begun(scene);

    const first = await openAlert('first');
    await untilIs('it has arrived', () => shownOf(first).length, 1);
    await pingAll();
    await scene.setClock(DAY_MS);
    await nothingIsDown();
    if (!isSteady) await until('it says that it has expired', () => shownOf(first).at(-1)?.state === 'expired');

    const second = await openAlert('second');
    await pingAll();
    await scene.setClock(-DAY_MS);
    await nothingIsDown();
    await untilIs('a reminder', () => remindersOf(second), 1, ROUND_DEADLINE_MS);

    await pingAll();
    const third = await openAlert('third');
    await scene.away(OUTAGE_MS);
    await nothingIsDown();
    await until('it arrives', () => shownOf(third).some(({ reminder }) => reminder === 0));
    await until('a reminder', () => remindersOf(third) > 0 || remindersOf(third), ROUND_DEADLINE_MS);
    assert.is(remindersOf(third), 1, 'rounds that were missed are not made up');

    await pingAll();
    await scene.away(-DAY_MS, 'set');
    await nothingIsDown();
    await untilIs('a reminder', () => remindersOf(third), 2, ROUND_DEADLINE_MS);

    await pingAll();
    await scene.away(DAY_MS, 'set');
    await nothingIsDown();
    await until('it says that it has expired', () => shownOf(third).at(-1)?.state === 'expired', ROUND_DEADLINE_MS);
    const { alerts } = granted(await scene.team().store.listAlerts({ workspace: 'acme', state: 'ended', limit: 10 }));
    assertEach(alerts, ({ state }) => state, ['expired', 'expired', 'expired']);
  });
}

suiteOfAll.run();

/** Jobs that ping each minute, and each day, and a channel that insists, with an iOS device. */
async function begun(scene: ClockScene) {
  const { sandbox } = scene;
  const shown: Shown[] = [];
  sandbox.onPush((push) => void shown.push(shownBy(push)));
  const { store } = scene.team();
  for (const slug of ['jobs', 'first', 'second', 'third']) {
    granted(await store.createChannel({ workspace: 'acme', slug }));
  }
  const uuids: string[] = [];
  for (let n = 0; n < JOBS; n += 1) {
    const schedule = n % 2 === 0 ? { every: 60, grace: 60 } : { every: 86_400, grace: 3_600 };
    const made = await store.createHeartbeat({ workspace: 'acme', channel: 'jobs', slug: `job-${n}`, ...schedule });
    uuids.push(granted(made).uuid);
  }
  /** Each in a channel of its own, so that none is in a bundle. */
  const shownOf = (channel: string) => shown.filter((notification) => notification.channel === channel);

  return {
    shownOf,
    remindersOf: (channel: string) => shownOf(channel).filter(({ reminder }) => reminder > 0).length,
    async openAlert(channel: string): Promise<string> {
      const team = scene.team();
      granted(
        await team.store.updateChannel({ workspace: 'acme', slug: channel, insist: { repeat: 60, until: 3_000 } }),
      );
      await additionsTo(team.store).addDevice({ token: sandbox.token({ platform: 'ios' }), subscribe: [channel] });
      const posted = await team.post({ channel, level: 'error', delivery_urgency: 'time_sensitive' });
      assert.is(posted.status, 202);
      return channel;
    },
    async pingAll(): Promise<void> {
      for (const uuid of uuids) assert.is((await fetch(`${scene.url()}/ping/${uuid}`)).status, 200);
    },
    /** Once a server has seen what the clock says. */
    async nothingIsDown(): Promise<void> {
      await until('a server marks that it takes pings', async () => {
        return Math.abs((await scene.markedAtMs()) - scene.nowMs()) < MARK_AGE_MS;
      });
      const { events } = granted(
        await scene.team().store.listEvents({ workspace: 'acme', channel: 'jobs', limit: 10 }),
      );
      assertEach(events, ({ title }) => title, []);
    },
  };
}
