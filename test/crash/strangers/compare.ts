import { publicIdOf } from '../../../src/contract/public-id.ts';
import type { Load } from '../load.ts';
import type { Ends } from './ends.ts';
import type { Follower } from './follower.ts';
import type { Promised } from './tally.ts';
import type { World } from './world.ts';

/** The things that go on in a world during faults. */
export interface Scene {
  readonly load: Load;
  /** Tokens of those that stay. */
  readonly phones: readonly string[];
  readonly ends: Ends;
  readonly follower: Follower;
}

/**
 * All that was promised so far with all that the provider and the follower saw. `isBySince`: who follows by `since` goes
 * by a clock.
 */
export async function compare(world: World, { load, phones, ends, follower }: Scene, isBySince: boolean) {
  const { sql, machines } = world;
  const rows = await sql(`
    SELECT encode(uuid, 'hex') AS uuid, channel.slug, targeted, accepted, withdrawn,
      accepted + failed + unregistered + expired + withdrawn AS done
    FROM event JOIN channel ON channel.id = event.channel_id JOIN workspace ON workspace.id = event.workspace_id
    WHERE workspace.slug = 'acme'`);
  const stored = new Map(rows.map((row) => [publicIdOf(String(row.uuid)), row]));
  const arrived = new Set(underLoad(world).map(({ token, eventId }) => `${token} ${eventId}`));
  const missing = [...load.acknowledged.keys()].filter((id) => !stored.has(id)).length;
  const toPhones = [...stored].flatMap(([id, { slug }]) => (slug === 'alerts' ? id : []));
  const unsent = toPhones.flatMap((id) => phones.filter((token) => !arrived.has(`${token} ${id}`))).length;
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  await follower.look(machines[2].url);
  const unseenBy = (seen: ReadonlySet<string>) => [...stored.keys()].filter((id) => !seen.has(id));
  const [bySince, byAfter] = [isBySince ? unseenBy(follower.bySince) : [], unseenBy(follower.byAfter)];
  const seen = arrived.size;
  const [accepted, withdrawn] = [sum('accepted'), sum('withdrawn')];
  const broken = [
    ...ends.broken(),
    ...(sum('done') === sum('targeted') ? [] : [`${sum('targeted') - sum('done')} pushes without an end`]),
    // If the answer to a push was lost, and the push ended meanwhile, its arrival is unknown.
    ...(accepted <= seen && seen <= accepted + withdrawn ? [] : [`${accepted} counted as accepted, ${seen} came in`]),
    ...(bySince.length > 0
      ? [`the follower missed by \`since\`: ${bySince.slice(0, 5).join(', ')}, ${bySince.length} in all`]
      : []),
    ...(byAfter.length > 0
      ? [`the follower missed by \`after\`: ${byAfter.slice(0, 5).join(', ')}, ${byAfter.length} in all`]
      : []),
    ...load.torn.map((key) => `${key} was answered with two events`),
  ];
  return { lost: missing + unsent, broken };
}

/** Fan-outs and deliveries that are not at their end. */
export async function openIn({ sql }: World): Promise<number> {
  const [found] = await sql(`
    SELECT (SELECT count(*) FROM fan_out)
      + (SELECT count(*) FROM delivery WHERE state = 'pending') AS open`);
  return Number(found?.open);
}

export function twiceIn(world: World): number {
  const pushes = underLoad(world);
  return pushes.length - new Set(pushes.map(({ token, eventId }) => `${token} ${eventId}`)).size;
}

/** How long each acknowledged event took to each phone. */
export function waitsOf({ provider }: World, { load, phones }: Scene): readonly Promised[] {
  const firstMs = new Map<string, number>();
  for (const { token, eventId, atMs } of provider.pushes) {
    const name = `${token} ${eventId}`;
    if (!firstMs.has(name)) firstMs.set(name, atMs);
  }
  return [...load.acknowledged].flatMap(([id, dueMs]) =>
    phones.map((token) => ({ what: id, dueMs, arrivedMs: firstMs.get(`${token} ${id}`) })),
  );
}

/** Without those of the workspace beside. */
function underLoad({ provider }: World) {
  return provider.pushes.filter(({ workspace }) => workspace === 'acme');
}
