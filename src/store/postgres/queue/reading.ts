import { type EventHead, type RetryRow, selectHeads, type TargetRow } from '../../queue/targets.ts';
import { type Columns, inColumns, rowsOf } from './columns.ts';

export interface ReadHead extends EventHead {
  readonly steadyMs: number;
  /** The workspace may not send now. */
  readonly isHeld: boolean;
}

type HeadRow = Omit<ReadHead, 'uuid'> & {
  /** PostgreSQL's form of bytes: `\\x`, then hex. */
  readonly uuid: string;
};

/** `place`: of what was asked. */
export type ReadTarget = RetryRow & TargetRow & { readonly place: number; readonly number: number };

/** The answer of `read_work`. */
export interface ReadWork {
  readonly heads: readonly HeadRow[] | null;
  readonly targets: Columns<ReadTarget>;
  /** Places of pages that this node does not own. */
  readonly lost: readonly number[];
}

const TARGET: readonly (keyof ReadTarget)[] = [
  'place',
  'number',
  'deviceId',
  'token',
  'tokenKind',
  'keys',
  'attempts',
  'wasAccepted',
  'isQuarantined',
  'status',
  'inactiveReason',
  'isEntitled',
  'isMuted',
  'isInformed',
];

/** Parts of functions/queue-reading.sql. `ids`, `steady_ms`: variables there. */
const PARTS = {
  '{heads}': selectHeads('events_of(ids) AS event', [
    'steady_ms AS "steadyMs"',
    `w.status <> 'active' OR EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = event.workspace_id) AS "isHeld"`,
  ]),
  '{targets in columns}': inColumns('target', TARGET),
};

/** Puts the parts into a file of functions. */
export function withParts(sql: string): string {
  return Object.entries(PARTS).reduce((text, [name, part]) => text.replace(name, () => part), sql);
}

/** Changes the rows: a copy of their many columns would cost more than all else here. */
export function headsOf({ heads }: ReadWork): readonly ReadHead[] {
  const ofRow = ({ uuid }: HeadRow) => ({ uuid: Buffer.from(uuid.slice(2), 'hex') });
  return (heads ?? []).map((row) => Object.assign<Omit<ReadHead, 'uuid'>, Pick<ReadHead, 'uuid'>>(row, ofRow(row)));
}

export function targetsOf({ targets }: ReadWork): readonly ReadTarget[] {
  return rowsOf(targets);
}
