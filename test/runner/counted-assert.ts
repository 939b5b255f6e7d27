/** Takes the place of `uvu/assert` in a test file (preload.ts), and says at the file's end how often it was called. */
import * as assert from 'uvu/assert';

let calls = 0;

export const { Assertion } = assert;
export const ok: typeof assert.ok = counted(assert.ok);
export const is: typeof assert.is = counted(assert.is);
export const equal: typeof assert.equal = counted(assert.equal);
export const type: typeof assert.type = counted(assert.type);
export const instance: typeof assert.instance = counted(assert.instance);
export const snapshot: typeof assert.snapshot = counted(assert.snapshot);
export const fixture: typeof assert.fixture = counted(assert.fixture);
export const match: typeof assert.match = counted(assert.match);
export const throws: typeof assert.throws = counted(assert.throws);
export const not: typeof assert.not = counted(assert.not);
export const unreachable: typeof assert.unreachable = counted(assert.unreachable);

process.on('exit', () => process.stdout.write(`  Assertions: ${calls}\n`));

/** With what hangs on it: `is.not`, `not.equal` and so on. */
function counted<F extends object>(check: F): F {
  return new Proxy(check, {
    apply(target, self, args) {
      calls += 1;
      return Reflect.apply(target as F & (() => void), self, args);
    },
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      return Object.hasOwn(target, name) && typeof part === 'function' ? counted(part) : part;
    },
  });
}
