/** Calls about maintenance windows, which silence their channel. */
import type { BodyOf } from '../../contract/api-types.ts';
import { type AskedTimes, type Maintenance, windowInWords } from '../../contract/maintenance.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

/** Rounds of alerts end windows. */
const CHANGED: readonly Topic[] = ['alerts', 'queue'];

export const MAINTENANCE_CALLS = {
  /** Lists windows by start, for operators and members (`userId`). `slug`: one channel. */
  listMaintenance: call<{ workspace: string; slug?: string; userId?: number }, readonly Maintenance[] | Refusal>({
    reads: true,
  }),
  /** Lists current windows of a person's workspaces, first to end first, at most 50. */
  listMaintenanceOn: call<{ userId: number }, readonly Maintenance[]>({ reads: true, internal: true }),
  /** Starts or plans a window, and tells subscribers quietly. */
  createMaintenance: call<MaintenanceRequest, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.add', workspace, inWords(window)),
  }),
  /** Absent fields stay. Current windows' start and `only` are fixed. */
  updateMaintenance: call<MaintenanceChange, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.change', workspace, inWords(window)),
  }),
  /** Ends a window for good. If it was on, the next round reports what is open. `slug`: its channel, if known. */
  endMaintenance: call<{ workspace: string; slug?: string; id: string }, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.end', workspace, inWords(window)),
  }),
  /** Starts a window by a key with `alerts:write`. */
  startMaintenance: call<BodyOf<'startMaintenance'> & Reach, Maintenance | Refusal>({
    internal: true,
    auditsKeys: true,
    invalidates: CHANGED,
    audit: ({ workspaceId: id }, window) => change('maintenance.add', { id }, inWords(window)),
  }),
  /** Ends a window of the key or its rotations. */
  endOwnMaintenance: call<Reach & { id: string }, Maintenance | Refusal>({
    internal: true,
    auditsKeys: true,
    invalidates: CHANGED,
    audit: ({ workspaceId: id }, window) => change('maintenance.end', { id }, inWords(window)),
  }),
};

export interface MaintenanceRequest extends AskedTimes {
  readonly workspace: string;
  readonly slug: string;
  readonly only?: string;
  readonly note?: string;
}
export interface MaintenanceChange extends AskedTimes {
  readonly workspace: string;
  /** Its channel, if known. */
  readonly slug?: string;
  readonly id: string;
  /** Null: the whole channel. */
  readonly only?: string | null;
  readonly note?: string | null;
}

function inWords(window: Maintenance): string {
  return `${window.id} of ${window.channel}, ${windowInWords(window)}`;
}
