import { LRUCache } from 'lru-cache';
import { isRefusal, type NewDevice, type Refusal } from './calls.ts';
import type { Db, Handlers, TransactionHooks } from './handlers.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { badImport, importLost } from './refusals.ts';
import { newDeviceProblem, registrations } from './registration.ts';

const MAX_STAGED_DEVICES = 1_000_000;
const MAX_STAGED_IMPORTS = 8;
const MAX_AGE_MINUTES = 15;
const NAMED_LINES = 5;

interface Line {
  readonly device: NewDevice;
  readonly channelIds: readonly number[];
}

export function imports(db: Db, hooks: TransactionHooks): Handlers<'stageImport' | 'commitImport'> {
  const find = lookups(db);
  const { register } = registrations(db);
  /** In memory: what was never committed needs no cleaning up. Too much or too old falls out, and the commit says so. */
  const staged = new LRUCache<string, readonly (readonly NewDevice[])[]>({
    max: MAX_STAGED_IMPORTS,
    ttl: MAX_AGE_MINUTES * 60_000,
    maxSize: MAX_STAGED_DEVICES,
    sizeCalculation: (parts) => Math.max(1, count(parts)),
  });

  function resolve(workspace: WorkspaceRow, parts: readonly (readonly NewDevice[])[]): readonly Line[] | Refusal {
    const known = new Map<string, ReturnType<typeof find.channel>>();
    const channelOf = (slug: string) => {
      const channel = known.get(slug) ?? find.channel(workspace, slug);
      known.set(slug, channel);
      return channel;
    };
    const wrong: { line: number; message: string }[] = [];
    const lines = parts.flat().map((device, index) => {
      const problem = newDeviceProblem(device);
      const channels = problem === null ? (device.subscribe ?? []).map(channelOf) : [];
      const message = problem?.message ?? channels.find(isRefusal)?.message;
      if (message !== undefined) wrong.push({ line: index + 1, message });
      return { device, channelIds: channels.flatMap((channel) => (isRefusal(channel) ? [] : channel.id)) };
    });
    return wrong.length === 0 ? lines : badImport(wrong.slice(0, NAMED_LINES), wrong.length);
  }

  return {
    stageImport({ importId, devices }) {
      const before = staged.get(importId);
      const parts = [...(before ?? []), devices];
      staged.set(importId, parts);
      hooks.onRollback(() => staged.set(importId, before));
      return { staged: count(parts) };
    },

    commitImport({ importId, workspace: slug, email }, { wallMs }) {
      const parts = staged.get(importId);
      hooks.onCommit(() => staged.delete(importId));
      if (parts === undefined) return importLost(MAX_STAGED_DEVICES, MAX_AGE_MINUTES);
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = find.member(workspace, email);
      if (isRefusal(user)) return user;
      const lines = resolve(workspace, parts);
      if (isRefusal(lines)) return lines;
      const created = lines.filter((line) => register({ userId: user.id, ...line, wallMs }).created).length;
      return { imported: created, updated: lines.length - created };
    },
  };
}

function count(parts: readonly (readonly NewDevice[])[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
