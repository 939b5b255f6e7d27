import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toSvg } from './svg.ts';

const WHAT = { columns: 40, title: 'a "picture"' };

test('Each run of a line has its place, its length and its look', () => {
  const svg = toSvg('ab \u001b[1;32m✓ ok\u001b[0m\n\u001b[2mlow\u001b[22m high', WHAT);
  assert.match(svg, '<tspan x="14" textLength="16.8">ab</tspan>');
  assert.match(svg, '<tspan x="39.2" textLength="33.6" fill="#98c379" font-weight="bold">✓ ok</tspan>');
  assert.match(svg, '<tspan x="14" textLength="25.2" opacity="0.6">low</tspan>');
  assert.match(svg, 'aria-label="a &quot;picture&quot;"');
});

test('A colour goes on in the next line until it is changed, and nothing in the text is markup', () => {
  const svg = toSvg('\u001b[31m<one>\n& two\u001b[39m three', WHAT);
  assert.match(svg, 'fill="#e06c75">&lt;one&gt;<');
  assert.match(svg, 'fill="#e06c75">&amp; two<');
  assert.match(svg, '> three<');
});

test.run();
