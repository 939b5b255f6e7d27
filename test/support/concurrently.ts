type Body = () => Promise<void>;
type Test = (title: string, body: Body) => void;

/**
 * Runs tests that wait more than they work: all begin with the first, so that they wait together. Each is reported by
 * itself, as ever.
 */
export function concurrently(test: Test): Test {
  const bodies: Body[] = [];
  let begun: readonly Promise<void>[] | undefined;
  return (title, body) => {
    const index = bodies.push(body) - 1;
    test(title, async () => {
      begun ??= bodies.map((body) => body());
      // Whichever fails before its turn is reported then.
      for (const run of begun) run.catch(() => {});
      await begun[index];
    });
  };
}
