import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describedApi } from '../support/openapi.ts';
import { fromNpm } from '../support/registries.ts';
import { skipWhere } from '../support/skip.ts';

const test = suite('linters');
// 126 packages, which nothing else needs.
const { folder, obstacle } = fromNpm('@stoplight/spectral-core@1.24.1', '@stoplight/spectral-rulesets@1.23.1');
const withSpectral = skipWhere(obstacle, test);

const source = JSON.stringify(describedApi({ baseUrl: 'https://push.acme.net/api' }));

/** Warnings of Redocly about intended things: a sign-in is one thing or the other. */
const MEANT = ['no-required-schema-properties-undefined'];
/** Browsers are sent on from there, whatever comes of it, so no answer is a 2xx. */
const REDIRECTS = /^#\/paths\/~1v1~1session~1oidc(~1callback)?\//;
const NO_2XX = 'operation-2xx-response';

test('Redocly finds nothing wrong with the description of the API', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const isRedirect = ({ ruleId, location }: (typeof problems)[number]) =>
    ruleId === NO_2XX && REDIRECTS.test(location[0]?.pointer ?? '');
  const unmeant = problems.filter((problem) => !MEANT.includes(problem.ruleId) && !isRedirect(problem));
  assert.equal(
    unmeant.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    [],
  );
  assert.equal(new Set(problems.map(({ ruleId }) => ruleId)), new Set([...MEANT, NO_2XX]));
});

withSpectral('Spectral finds nothing wrong with the description of the API', async () => {
  const load = createRequire(`${folder}/`);
  const spectral = new (load('@stoplight/spectral-core').Spectral)();
  spectral.setRuleset({ extends: [[load('@stoplight/spectral-rulesets').oas, 'recommended']] });
  assert.equal(await spectral.run(source), []);
});

test.run();
