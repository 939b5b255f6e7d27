import { type EventHead, selectHeads } from '../../queue/targets.ts';

/** A head in JSON, read by `read_work`. */
export interface HeadRow extends Omit<EventHead, 'uuid'> {
  /** PostgreSQL's form of bytes: `\\x`, then hex. */
  readonly uuid: string;
  readonly steadyMs: number;
  /** The workspace may not send now. */
  readonly isHeld: boolean;
}

/** Stands for `{heads}` in functions/queue-reading.sql. `ids`, `steady_ms`: variables there. */
export const HEADS = selectHeads('events_of(ids) AS event', [
  'steady_ms AS "steadyMs"',
  `w.status <> 'active' OR EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = event.workspace_id) AS "isHeld"`,
]);

export function headOf({ uuid, ...head }: HeadRow): EventHead {
  return { ...head, uuid: Buffer.from(uuid.slice(2), 'hex') };
}
