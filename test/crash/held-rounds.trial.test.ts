import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../src/store/calls.ts';
import { assertEach } from '../support/assert-each.ts';
import { concurrently } from '../support/concurrently.ts';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serverEnv, settled, type Team } from '../support/server.ts';
import { type Shown, shownBy } from '../support/shown.ts';
import { until, untilIs } from '../support/until.ts';
import { type ServerProcess, serverProcess } from './server-process.ts';

const rounds = suite('a round whose node is lost');
const test = concurrently(rounds);

const INSIST = { repeat: 3_600, until: 86_400 };

/** The maker of a round waits in the middle of it, by its number, for as long as another session has the locks. */
const HOLD = `
  SELECT pg_advisory_lock(42, 1), pg_advisory_lock(42, 2);
  CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(42, current_setting('test.node')::int);
    RETURN new;
  END $$;
  CREATE TRIGGER hold BEFORE UPDATE ON insisting FOR EACH ROW EXECUTE FUNCTION hold()`;
const LET_GO = 'SELECT pg_advisory_unlock_all()';
const HOLDER = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 42 AND NOT granted";
const ALL_DUE = 'UPDATE insisting SET next_at = 0';
const MADE = "SELECT count(*)::int AS made FROM event WHERE kind = 'reminder'";

for (const [how, lose, goOn] of [
  ['killed', (node: ServerProcess) => node.end('SIGKILL'), null],
  ['frozen', async (node: ServerProcess) => node.freeze(), (node: ServerProcess) => node.thaw()],
] as const) {
  test(`If a node is ${how} in the middle of a round, another node makes the round once`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const shown: Shown[] = [];
    sandbox.onPush((push) => void shown.push(shownBy(push)));
    const url = await temporarySchema();
    const client = new pg.Client({ connectionString: numbered(url, 0) });
    await client.connect();
    opened.onEnd(() => client.end());
    const rows = async (statement: string) => (await client.query(statement)).rows;
    const common = await serverEnv(sandbox);
    const nodes = new Map<number, ServerProcess>();
    const teams: Team[] = [];
    for (const node of [1, 2]) {
      const own = { PUSHCTL_STORE_URL: numbered(url, node), PUSHCTL_STORE_NODE: `node-${node}` };
      const env = { ...common, ...own, PUSHCTL_DATA_DIR: temporaryFolder() };
      const server = serverProcess(opened, env);
      nodes.set(node, server);
      teams.push(opened.add(await aTeam(env, await server.url)));
    }
    const [team] = teams;
    assert.ok(team);
    await team.addDevice(sandbox, { platform: 'ios' });
    const change = async (with_: Partial<ArgsOf<'updateChannel'>>) => {
      granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', ...with_ }));
    };
    await change({ insist: INSIST });
    const { event } = (await team.post({ level: 'error', delivery_urgency: 'time_sensitive' })).body;
    // A push lost before that is sent once more.
    await settled(team, event.public_id);
    assert.is(shown.length, 1);

    await client.query(HOLD);
    await client.query(ALL_DUE);
    // Has all nodes look. It may come too late for that, and wait for the round in vain.
    await change({ name: 'Alerts' }).catch(() => {});
    let lost: ServerProcess | undefined;
    await until('a node is in the middle of the round', async () => {
      const [held] = await rows(HOLDER);
      lost = nodes.get(Number(held?.objid));
      return lost !== undefined;
    });
    assert.ok(lost);
    await lose(lost);
    const lostAtMs = Date.now();
    await client.query(LET_GO);
    await untilIs('the other one reminds', () => shown.length, 2);
    const [, { atMs = 0, reminder } = {}] = shown;
    assert.is(reminder, 1);

    if (goOn !== null) {
      goOn(lost);
      await untilIs('it is back', async () => (await rows('SELECT 1 FROM node')).length, 2);
    }
    await client.query(ALL_DUE);
    await untilIs('the next round', () => shown.length, 3);
    assertEach(shown, (notification) => notification.reminder, [0, 1, 2]);
    assert.equal(await rows(MADE), [{ made: 2 }]);
    process.stdout.write(`\nreminded ${atMs - lostAtMs} ms after the node was ${how}\n`);
  });
}

rounds.run();

/** The URL of a session that knows its number. */
function numbered(url: string, node: number): string {
  const own = new URL(url);
  own.searchParams.set('options', `${own.searchParams.get('options')} -c test.node=${node}`);
  return own.href;
}
