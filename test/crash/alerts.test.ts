import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { Opened } from '../support/opened.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { serverProcess } from './server-process.ts';
import { readingFrom } from './stopped-data.ts';

const test = suite('alerts and kill -9');

const KILLS = 15;
const CHANNELS = 20;
/** From when it listens to when all rounds are made. */
const LONGEST_MS = { SQLite: 150, PostgreSQL: 1_000 };

/** Of an alert: how many reminders it counts, how many stand in the queue or have been sent, and whether its round is due. */
interface Reminded {
  readonly id: number;
  readonly counted: number;
  readonly made: number;
  readonly due: number;
}
const REMINDED = `
  SELECT event_id AS id, reminders AS counted,
    (SELECT count(*) FROM event WHERE kind = 'reminder' AND alert_id = alert.event_id) AS made,
    (SELECT count(*) FROM insisting WHERE insisting.channel_id = alert.channel_id AND next_at = 0) AS due
  FROM alert ORDER BY event_id`;
const ALL_DUE = 'UPDATE insisting SET next_at = 0';

for (const [engine, settings] of [
  ['SQLite', async (): Promise<Env> => ({})],
  ['PostgreSQL', async () => ({ PUSHCTL_STORE_URL: await temporarySchema(), PUSHCTL_DATA_DIR: temporaryFolder() })],
] as const) {
  test(`Over ${engine} no round is made twice or by half, whenever the server dies`, async () => {
    await using opened = new Opened();
    const env = await serverEnv(opened.add(await aSandbox()), await settings());
    const read = readingFrom(env);
    const reminded = () => read<Reminded>(REMINDED);
    await openAlerts(opened, env);
    let before = await reminded();
    assert.is(before.length, CHANNELS);
    let rounds = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await read(ALL_DUE);
      const server = serverProcess(opened, env);
      await server.url;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS[engine]));
      await server.end('SIGKILL');
      const now = await reminded();
      for (const [place, { id, counted, made, due }] of now.entries()) {
        const more = counted - (before[place]?.counted ?? 0);
        assert.is(made, counted, `alert ${id}`);
        assert.is(more + due, 1, `alert ${id}: ${more} reminders, ${due} due`);
        rounds += more;
      }
      before = now;
    }
    assert.ok(rounds > 0, 'none was made');
  });
}

test.run();

/** One in each of many channels. */
async function openAlerts(opened: Opened, env: Env): Promise<void> {
  const server = serverProcess(opened, env);
  const team = await aTeam(env, await server.url);
  for (let n = 0; n < CHANNELS; n += 1) await openAlert(team, `disks-${n}`);
  await team.close();
  await server.end('SIGTERM');
}

async function openAlert({ store, post }: Team, slug: string): Promise<void> {
  granted(await store.createChannel({ workspace: 'acme', slug }));
  granted(await store.updateChannel({ workspace: 'acme', slug, insist: { repeat: 3_600, until: 86_400 } }));
  await post({ channel: slug, title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' });
}
