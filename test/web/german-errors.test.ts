import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ErrorDetail, errorDetail, fieldProblem, paramsOf } from '../../src/contract/details.ts';
import { API_ERRORS } from '../../src/contract/errors.ts';
import { fieldCheck } from '../../src/contract/fields.ts';
import { SENTENCES, type ShownCode } from '../../src/contract/sentences.ts';
import { explain, explanations } from '../../src/providers/explain.ts';
import * as refusals from '../../src/store/refusals.ts';
import { refusalOf } from '../../src/web/api/problem.ts';
import { explained } from '../../src/web/texts/de/explained.ts';
import { ERRORS, inGerman } from '../../src/web/texts/de/server/errors.ts';
import { translateError } from '../../src/web/texts/de/translate-error.ts';

test('Each error that a person can meet has its German, and no other has one', () => {
  assert.equal(Object.keys(ERRORS).sort(), [...Object.keys(API_ERRORS), ...Object.keys(SENTENCES)].sort());
});

test('The German of an error has no other values than its English', () => {
  for (const [code, german] of Object.entries(ERRORS)) {
    const named = [...german.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const known = ['field', ...paramsOf(code as ShownCode)];
    assert.equal(
      named.filter((name) => !known.includes(String(name))),
      [],
      code,
    );
  }
});

test('Refusals of the store keep their names in German', () => {
  const german = ({ detail }: { readonly detail?: ErrorDetail }) => detail && inGerman(detail);
  assert.is(german(refusals.channelExists('a $1', 'acme')), 'Der Arbeitsbereich „acme“ hat schon einen Kanal „a $1“.');
  assert.match(String(german(refusals.conflict('last_owner'))), 'Das ist der letzte Inhaber');
});

test('The faults of a form are shown for each field, with the number of further faults', async () => {
  const body = fieldCheck('channel-request')({ name: 'n'.repeat(300) });
  const details = body?.details ?? [];
  assert.equal(details.map(inGerman), ['Diese Angabe fehlt: slug.', 'Höchstens 255 Zeichen.']);
  assert.is(await translateError(details, String(body?.message)), 'Diese Angabe fehlt: slug. (und 1 weitere)');
});

test('The app shows a field the first of its own errors', async () => {
  const body = fieldCheck('channel-request')({ name: 'n'.repeat(300) });
  const { fields } = await refusalOf(new Response(null, { status: 422 }), body);
  assert.equal(fields, {
    slug: 'The slug field is required.',
    name: 'The name field must not be greater than 255 characters.',
  });
});

test('The meaning and the remedy of each reason of a failed push have their German', () => {
  const texts = [...explanations(), ...explain('http_418')].flatMap(({ means, remedy }) => [means, remedy]);
  assert.ok(texts.length > 200, String(texts.length));
  const english = /\b(?:the|and|is|not|it|to|nothing)\b/i;
  assert.equal(
    texts.filter((text) => explained(text) === text || english.test(explained(text))),
    [],
  );
});

test('A sentence of a newer server stays as it is', async () => {
  const news = { code: 'of_a_newer_server', params: {} };
  assert.is(await translateError([news], 'A sentence to come.'), 'A sentence to come.');
  assert.is(await translateError([], 'A sentence of an older one.'), 'A sentence of an older one.');
  assert.is(explained('A sentence of a server to come.'), 'A sentence of a server to come.');
});

test('No value of a sentence is taken for the name of another', () => {
  const { message } = fieldProblem('name', 'name_form', { name: '{most}', most: 63 });
  assert.match(message, 'The name "{most}" must be 1 to 63 letters');
  assert.match(
    String(inGerman(errorDetail('channel_exists', { workspace: '{channel}', channel: 'x' }))),
    '„{channel}“',
  );
});

test.run();
