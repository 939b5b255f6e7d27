import type { FeedItem, SentItem } from '../../server/feed/items.ts';
import { printableJson } from '../output/printable.ts';
import { shortDuration } from '../output/stats-report.ts';
import { show } from '../output/table.ts';

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
