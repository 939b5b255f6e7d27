import { v7 } from 'uuid';
import { plainEvent } from '../../contract/event-body.ts';
import type { StoreSettings } from '../settings.ts';
import { type Asked, postTogether } from './accept/accepting.ts';
import { AssumedSounds } from './accept/assumed-sounds.ts';
import type { CallPath } from './call-path.ts';
import type { Connections } from './connections.ts';
import { errorReply } from './errors.ts';
import { NO_NODE } from './nodes/leases.ts';

const WRITE = 'SELECT prove_storing()';
const WITHIN_MS = 1_000;

/** An event of a key that does not exist. Judging it uses all that a post uses, and stores nothing. */
function probeEvent(): Asked {
  const { links: _, ...event } = plainEvent('probe', 'probe');
  const sender = { workspaceId: 0, boundKeyId: null, postedBy: null, perMinute: 1_000 };
  const args = { ...event, ...sender, uuid: v7(), hadLinks: false, linksMark: null, idempotencyKey: 'probe' };
  return { isCheck: false, key: { kind: 'key', id: 'probe', scope: 'events:write' }, args };
}

/** Proves that events can be stored. Bypasses the committer: long changes make no server unready. */
export function writeProbePath({ lend }: Connections, { settings }: { readonly settings: StoreSettings }): CallPath {
  const node = { node: NO_NODE, home: NO_NODE, limited: new Set<number>(), sounds: new AssumedSounds() };
  const how = { ...node, settings, canWait: false, withinMs: WITHIN_MS };
  return {
    canTake: ({ name }) => name === 'proveWritable',
    async answer() {
      try {
        await lend(async (connection) => {
          await postTogether(connection, [probeEvent()], how);
          await connection.execute(WRITE);
        });
        return { kind: 'answer', answer: null };
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}
