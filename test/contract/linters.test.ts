import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describedApi } from '../support/openapi.ts';

const source = JSON.stringify(describedApi({ baseUrl: 'https://push.acme.net/api' }));

/**
 * What Redocly warns of, and we mean: nobody said under which licence the API stands, and a sign-in is one thing or the
 * other.
 */
const MEANT = ['info-license', 'no-required-schema-properties-undefined'];

test('Redocly finds nothing wrong with the description of the API', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  assert.equal(
    problems.filter(({ severity, ruleId }) => severity === 'error' || !MEANT.includes(ruleId)),
    [],
  );
});

test('Spectral finds nothing wrong with the description of the API', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] });
  assert.equal(await spectral.run(source), []);
});

test.run();
