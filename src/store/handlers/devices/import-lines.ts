import { type ImportLine, isRefusal } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { suggestions } from '../suggestions.ts';
import type { NewLine } from './import-steps.ts';
import { storedMute } from './mutes.ts';
import { newDeviceProblem } from './registration.ts';

export interface Mistake {
  readonly line: number;
  readonly message: string;
}

/** Returns a part's lines as stored, and the first `named` wrong ones. */
export function lineChecks(sql: Sql, addresses: StoreSettings['addresses']) {
  const channelId = sql.value<{ workspaceId: number; slug: string }, number>(
    'SELECT id FROM channel WHERE workspace_id = :workspaceId AND slug = :slug',
  );
  const find = lookups(sql);
  const suggest = suggestions(sql);

  /** Only reported mistakes get a suggested name. */
  async function messageFor(workspace: WorkspaceRow, line: ImportLine): Promise<string> {
    if ('mistake' in line) return line.mistake;
    const { device } = line;
    const problem = newDeviceProblem(device, addresses);
    if (problem !== null) return problem.message;
    const channels = await find.channelIds(workspace, device.subscribe ?? []);
    return isRefusal(channels) ? (await suggest(channels)).message : '';
  }

  return async (workspace: WorkspaceRow, lines: readonly ImportLine[], named: number) => {
    const idOf = remembering((slug) => channelId({ workspaceId: workspace.id, slug }));
    const devices: NewLine[] = [];
    const bad: ImportLine[] = [];
    for (const line of lines) {
      if ('mistake' in line) {
        bad.push(line);
        continue;
      }
      const { subscribe = [], mutes = [], ...device } = line.device;
      const isRight = newDeviceProblem(line.device, addresses) === null;
      const ids: (number | undefined)[] = isRight ? [] : [undefined];
      if (isRight) for (const slug of subscribe) ids.push(await idOf(slug));
      const channelIds = ids.filter((id) => id !== undefined);
      if (channelIds.length < ids.length) bad.push(line);
      else {
        const idBySlug = new Map(subscribe.map((slug, nth) => [slug, channelIds[nth]]));
        // A channel's last mute counts.
        const lastOf = new Map(mutes.map((mute) => [mute.channel, mute]));
        const muted = [...lastOf.values()].flatMap((mute) => {
          const channelId = idBySlug.get(mute.channel);
          const stored = storedMute({ minLevel: mute.min_level, mutedUntil: mute.muted_until });
          return channelId === undefined ? [] : [{ channelId, ...stored }];
        });
        devices.push({ line: line.line, device: { ...device, channelIds, ...(muted.length > 0 && { mutes: muted }) } });
      }
    }
    const listed = bad.slice(0, Math.max(0, named));
    const mistakes: Mistake[] = [];
    for (const line of listed) mistakes.push({ line: line.line, message: await messageFor(workspace, line) });
    return { devices, wrong: bad.length, mistakes };
  };
}

function remembering<T>(ask: (name: string) => Awaitable<T>): (name: string) => Promise<T> {
  const known = new Map<string, T>();
  return async (name) => {
    if (!known.has(name)) known.set(name, await ask(name));
    return known.get(name) as T;
  };
}
