import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent, workspaceIdOf } from '../../support/workspace.ts';
import { SETTINGS } from '../fixture.ts';
import { type Line, line } from '../lines.ts';
import type { Site } from '../site.ts';

/** Open alerts, by channel. */
const STORMS = { few: 2_500, many: 50_000 } as const;
const ACCEPTED_AT_ONCE = 1_000;
const POSTING_MS = 2_000;
const CONNECTIONS = 4;

/** How long it takes to acknowledge all alerts of a channel while others post. */
export async function storms(site: Site): Promise<Line[]> {
  const dataDir = await site.dataFolder('empty');
  const newest = await fill(dataDir);
  const server = await site.startServerIn(dataDir, { sends: false });
  const load = await site.openLoad(server.url, 'single', CONNECTIONS);
  const store = await site.storeIn(dataDir);
  const lines: Line[] = [];
  for (const [channel, count] of Object.entries(STORMS)) {
    const posting = load.ask('run', { ms: POSTING_MS });
    const startMs = performance.now();
    granted(await store.acknowledgeAlert({ publicId: newest.get(channel) ?? '', all: true }));
    const tookMs = performance.now() - startMs;
    const { p99Ms } = await posting;
    const what = `all ${count.toLocaleString('en')} alerts of a channel acknowledged while others post`;
    lines.push(line(what, 'ms', [tookMs], { raw: { 'p99 ms of posts': [p99Ms] } }));
  }
  await store.close();
  return lines;
}

/** Returns the newest alert of each channel. */
async function fill(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const store = await openLocalStore({ dataDir, settings: { ...SETTINGS } });
  const workspaceId = await workspaceIdOf(store, 'evil');
  const newest = new Map<string, string>();
  for (const [channel, count] of Object.entries(STORMS)) {
    const insist = { repeat: 3_600, until: 86_400 };
    granted(await store.createChannel({ workspace: 'evil', slug: channel }));
    granted(await store.updateChannel({ workspace: 'evil', slug: channel, insist }));
    for (let opened = 0; opened < count; opened += ACCEPTED_AT_ONCE) {
      const events = Array.from({ length: Math.min(ACCEPTED_AT_ONCE, count - opened) }, () =>
        store.acceptEvent(anEvent(workspaceId, { channel, level: 'error', urgency: 'time_sensitive' })),
      );
      for (const answer of await Promise.all(events)) {
        if (answer.kind !== 'accepted') throw new Error(`an event is ${answer.kind}`);
        newest.set(channel, answer.event.public_id);
      }
    }
  }
  await store.close();
  return newest;
}
