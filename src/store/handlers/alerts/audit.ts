import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';

/** The part of an alert in audit entries. */
interface NamedAlert {
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channel: string;
}

const INSERT = `
  INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
  SELECT :wallMs, 'operator', :actor, :action, slug, :object FROM workspace WHERE id = :workspaceId`;

/** Audits changes of alerts by the server or an API key (`actor`). */
export function alertAudit(sql: Sql) {
  const insert = sql.run<object>(INSERT);

  return async (action: string, alert: NamedAlert, { wallMs }: Moment, more = '', actor = 'pushctl') => {
    const { uuid, workspaceId, channel } = alert;
    const object = `${publicIdOf(stringify(uuid))} of ${channel}${more === '' ? '' : `, ${more}`}`;
    await insert({ wallMs, actor, action, workspaceId, object });
  };
}
