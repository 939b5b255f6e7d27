/** Calls about maintenance windows: while one is on, its channel makes no sound. */
import type { BodyOf } from '../../contract/api-types.ts';
import { type AskedTimes, type Maintenance, windowInWords } from '../../contract/maintenance.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import type { Reach } from './serving.ts';

/** The rounds of alerts end the windows. */
const CHANGED: readonly Topic[] = ['alerts', 'queue'];

export const MAINTENANCE_CALLS = {
  /** Lists the windows by start, for operators and for members (`userId`). `slug`: a channel; absent: all of them. */
  listMaintenance: call<{ workspace: string; slug?: string; userId?: number }, readonly Maintenance[] | Refusal>({
    reads: true,
  }),
  /** Lists the windows that are on in the workspaces of a person, the first to end first: at most 50. */
  listMaintenanceOn: call<{ userId: number }, readonly Maintenance[]>({ reads: true, internal: true }),
  /** Starts or plans a window. The channel's subscribers get a quiet notice. */
  createMaintenance: call<MaintenanceRequest, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.add', workspace, inWords(window)),
  }),
  /** Changes a window. Absent fields stay. Once it is on, its start and `only` are fixed. */
  updateMaintenance: call<MaintenanceChange, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.change', workspace, inWords(window)),
  }),
  /** Ends a window for good. If it was on, the next round says what is still open. `slug`: its channel, if it is known. */
  endMaintenance: call<{ workspace: string; slug?: string; id: string }, Maintenance | Refusal>({
    invalidates: CHANGED,
    audit: ({ workspace }, window) => change('maintenance.end', workspace, inWords(window)),
  }),
  /** Starts a window with a key that has `alerts:write`. */
  startMaintenance: call<BodyOf<'startMaintenance'> & Reach, Maintenance | Refusal>({
    internal: true,
    auditsKeys: true,
    invalidates: CHANGED,
    audit: ({ workspaceId: id }, window) => change('maintenance.add', { id }, inWords(window)),
  }),
  /** Ends a window that the key or its rotations started. */
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
  /** Its channel, if it is known. */
  readonly slug?: string;
  readonly id: string;
  /** Null: for the whole channel. */
  readonly only?: string | null;
  readonly note?: string | null;
}

function inWords(window: Maintenance): string {
  return `${window.id} of ${window.channel}, ${windowInWords(window)}`;
}
