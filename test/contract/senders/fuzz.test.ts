import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postedEventParser } from '../../../src/contract/posted-event.ts';
import { Body } from '../../../src/contract/senders/bodies.ts';
import type { SenderFormat } from '../../../src/contract/senders/format.ts';
import { SENDERS } from '../../../src/contract/senders/table.ts';
import { fitTexts } from '../../../src/contract/senders/texts.ts';
import { accepted, aRequest, aSenderBody } from '../../support/senders.ts';

const RUNS = { seed: 20261121, numRuns: 100 };
/** It rejects what is not as its format has it, as the server does whose format it is. */
const STRICT = ['pagerduty'];
const OPTIONAL = ['url', 'image_url'];

const parse = postedEventParser({ ttlMs: 86_400_000, wallMs: Date.now });
const FORMATS = Object.entries(SENDERS) as readonly (readonly [string, SenderFormat])[];

for (const [name, { addresses }] of FORMATS) {
  test(`any body of ${name} becomes an event that is valid but for its links, and is answered`, async () => {
    const publishing = addresses.flatMap(({ act }) => ('publish' in act ? [act] : []));
    const property = fc.asyncProperty(aSenderBody(), fc.string(), fc.string(), async (body, query, field) => {
      for (const { publish, answer } of publishing) {
        const params = { channel: 'alerts', key: 'x' };
        const publication = await publish({ ...aRequest({ params, query, body }), header: () => field });
        if (publication === null || 'reply' in publication) continue;
        const { fitted } = fitTexts(publication.event);
        const parsed = parse({ ...fitted, channel: 'alerts' });
        if (!parsed.valid)
          assert.equal(
            Object.keys(parsed.problem.errors).filter((field) => !OPTIONAL.includes(field)),
            [],
          );
        // Answers of another thread are data alone.
        structuredClone(publication);
        const answered = answer?.(accepted('alerts'), publication.repeated ?? {}) ?? {};
        assert.ok(typeof answered === 'string' || JSON.stringify(answered).length > 0);
      }
    });
    await fc.assert(property, RUNS);
  });

  if (STRICT.includes(name)) continue;
  test(`nothing that ${name} sends is lost which has a text in it`, async () => {
    const property = fc.asyncProperty(aSenderBody(), async (body) => {
      const payload = new URLSearchParams(body).get('payload') ?? body;
      if (!new Body(payload).hasContent || !/[\p{L}\p{N}]/u.test(payload)) return;
      for (const { act } of addresses) {
        if (!('publish' in act)) continue;
        const request = aRequest({ params: { channel: 'alerts', key: 'x' }, body });
        assert.ok((await act.publish(request)) !== null, body);
      }
    });
    await fc.assert(property, RUNS);
  });
}

test.run();
