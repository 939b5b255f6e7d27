import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describedApi } from '../support/openapi.ts';

const source = JSON.stringify(describedApi({ baseUrl: 'https://push.acme.net/api' }));

/** What Redocly warns of, and we mean: no licence of the API was chosen; and a sign-in is one thing or the other. */
const MEANT = ['info-license', 'no-required-schema-properties-undefined'];
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

test('Spectral finds nothing wrong with the description of the API', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] });
  assert.equal(await spectral.run(source), []);
});

test.run();
