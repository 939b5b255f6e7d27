import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packageVersion } from '../../process/package.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { FeedItem, SentItem } from '../../server/feed/items.ts';
import type { Watched } from '../../store/calls.ts';
import { openItemStream } from '../../store/transports/socket-client.ts';
import { unwrap } from '../context.ts';
import { printableJson } from '../output/printable.ts';
import { shortDuration } from '../output/stats-report.ts';
import { show } from '../output/table.ts';

const AGAIN_MS = 1_000;

export interface FollowOptions {
  readonly socket: string;
  /** Other machines' servers may send the events, too. */
  readonly isShared: boolean;
  readonly watched: Watched;
  /** Outcomes include their devices. */
  readonly withDevices?: boolean;
  readonly onItem: (item: FeedItem) => void;
  readonly onLink: (isUp: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * Passes on the running server's items until the signal aborts, across restarts. Throws an `OperatorProblem` if no
 * server runs at first, or it refuses.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { socket, watched, withDevices = false, onItem, onLink, signal } = options;
  const watch = {
    path: socket,
    version: packageVersion(),
    call: 'watch',
    args: { ...watched, devices: withDevices },
    onItem: (item: unknown) => onItem(item as FeedItem),
  };
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const stream = await openItemStream(watch);
    if (stream === null && isFirst) {
      throw new OperatorProblem(`no server runs on ${dirname(socket)}, so there is nothing to watch.`, 1, {
        advice: options.isShared
          ? 'Each server shows only its own pushes, on its machine. `pushctl node list` lists the servers.'
          : '`pushctl serve` starts one.',
      });
    }
    if (stream !== null) {
      onLink(true);
      const close = () => void stream.close();
      signal.addEventListener('abort', close, { once: true });
      const refused = await stream.ended;
      signal.removeEventListener('abort', close);
      await stream.close();
      unwrap(refused);
    }
    if (signal.aborted) return;
    onLink(false);
    await pause(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Returns one NDJSON line per outcome. */
export function jsonLines(item: FeedItem): readonly string[] {
  if (item.kind !== 'sent') return [];
  const { kind: _, outcomes, ...sent } = item;
  return outcomes.flatMap(({ device_ids: ids = [], outcome, reason }) => {
    return ids.map((id) => printableJson({ ...sent, device_id: id, outcome, reason }));
  });
}

/** Returns plain lines for pipes, merging an event's equal outcomes. */
export function plainLines(item: FeedItem): readonly string[] {
  if (item.kind !== 'sent')
    return item.skipped > 0 ? [`(${item.skipped} batches skipped: this output is read too slowly)`] : [];
  return item.outcomes.map(({ outcome, reason, count }) => {
    const what = reason === null ? outcome : `${outcome} (${show(reason)})`;
    return `${item.at.slice(11, 23)}  ${where(item)}  ${item.route}  ${what}${count > 1 ? ` ×${count}` : ''}  ${shortDuration(item.after_ms)}`;
  });
}

function where({ workspace, channel, event }: SentItem): string {
  return `${show(workspace)}/${show(channel)}  ${event}`;
}
