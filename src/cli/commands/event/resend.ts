import { v7 as uuidv7 } from 'uuid';
import type { LinkLoss, ResendProgress, StoreClient } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { count } from '../../output/table.ts';

const DETAILS = `
Failed and expired pushes are sent again under the id of the event. Their time
to live starts now. Only devices that are active and stayed subscribed to the
channel get them. This does not count as usage. Accepted pushes are not resent.

With --all, the event is posted again as a new event with a new id. It goes to
all devices that are subscribed now, even if they showed the old event. It also
counts as usage, and appears in the inbox a second time.

Links (url, image_url) and data are never stored, so most resent pushes have
none. The answer says so.
`;
const LINKS: Readonly<Record<LinkLoss, string>> = {
  none: '',
  lost: '\nIt had links or data, which are not stored, so it is sent without them.',
  unknown:
    '\nIt had links or data, which are not stored: it is sent with them only if the server has not restarted since.',
};

export function addEventResend(event: Command, context: CommandContext): void {
  event
    .command('resend <public_id>')
    .description('resend the failed and expired pushes of an event; with --all, post it again to everyone')
    .option('--all', 'post it again as a new event, to all devices subscribed now')
    .details(DETAILS)
    .examples(
      'pushctl event resend evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
      'pushctl event resend evt_01k9z3v5m8q2w4e6r8t0y2a4c6 --all',
    )
    .action((publicId: string, { all = false }: { all?: boolean }) => (all ? repost : resend)(context, publicId));
}

async function resend(context: CommandContext, publicId: string): Promise<void> {
  const { event, resent, links } = await context.withStore((store) => toTheEnd(store, publicId));
  context.print({ event, resent, links }, () => {
    if (resent === 0)
      return `No device is left to send ${publicId} to: the devices are inactive, or no longer subscribed.`;
    const next = `See the result: pushctl event show ${publicId}`;
    return `Queued ${count(resent, 'push', 'pushes')} of ${publicId} again.${LINKS[links]}\n${next}`;
  });
}

/** Resends in steps; the first decides. If this process ends early, a server finishes. */
async function toTheEnd(store: StoreClient, publicId: string): Promise<ResendProgress & { links: LinkLoss }> {
  const { links, ...begun } = unwrap(await store.resendEvent({ publicId }));
  let progress: ResendProgress = begun;
  while (!progress.done) progress = unwrap(await store.continueResend({ publicId }));
  return { ...progress, links };
}

async function repost(context: CommandContext, publicId: string): Promise<void> {
  const posted = await context.withStore((store) => store.repostEvent({ publicId, uuid: uuidv7() }));
  const { event, links } = unwrap(posted);
  const { public_id: id, target_device_count: resent } = event;
  context.print({ event, resent, links }, () => {
    const next = `See the result: pushctl event show ${id}`;
    return `Posted ${publicId} again as ${id}, for ${count(resent, 'device')}.${LINKS[links]}\n${next}`;
  });
}
