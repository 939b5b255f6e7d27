import type { BodyOf } from '../../contract/api-types.ts';
import type { Reporter } from '../../store/calls.ts';
import { fromTimestamp } from '../../values/timestamp.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError } from '../errors.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

export function receiptRoutes({ receipts }: Service) {
  const read = bodyReader('reportShown');
  return {
    async reportShown(context) {
      const reporter = await receipts.authenticate(context);
      const { earlier = [], eventId, at, opened } = await read(context);
      const reports = [{ event_id: eventId, at, ...(opened && { opened }) }, ...earlier];
      // Kept reports may concern deleted events.
      const [answer] = await Promise.all(reports.map((report) => receipts.record(receiptOf(reporter, report))));
      if (answer?.kind === 'no_device') throw new ApiError('device_not_found');
      if (answer?.kind === 'no_event') throw new ApiError('event_not_found');
      return { status: 204 };
    },
  } satisfies Routes;
}

type Report = NonNullable<BodyOf<'reportShown'>['earlier']>[number];

function receiptOf(reporter: Reporter, { event_id: publicId, at, opened = false }: Report) {
  return { ...reporter, publicId, atMs: fromTimestamp(at) ?? 0, opened };
}
