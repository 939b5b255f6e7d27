import * as assert from 'uvu/assert';
import { postedEventParser } from '../../src/contract/posted-event.ts';
import { NOW_MS } from './store.ts';

/** With an operator who allows `myapp:` links and a day to live. */
export const parse = postedEventParser({ urlSchemes: ['myapp'], ttlMs: 86_400_000, wallMs: () => NOW_MS });

/** The problems by field; none where the event is valid. */
export function errorsOf(body: Record<string, unknown>): Readonly<Record<string, readonly string[]>> {
  const parsed = parse(body);
  return parsed.valid ? {} : parsed.problem.errors;
}

/** Returns the fault of one field of an event without other faults. */
export function wrong(field: string, value: unknown): readonly string[] {
  const errors = errorsOf({ channel: 'alerts', title: 'Done', [field]: value });
  assert.equal(
    Object.keys(errors).filter((name) => name !== field),
    [],
  );
  return errors[field] ?? [];
}
