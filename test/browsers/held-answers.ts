import type { Page } from 'puppeteer-core';

/** From now on the page waits for the answers at an address that contains this, and not `but`, until they are let go. */
export async function holdAnswers(
  page: Page,
  address: string,
  but = '',
): Promise<{ first(): Promise<unknown>; letGo(): Promise<void> }> {
  await page.evaluate(`(() => {
    const ask = window.fetch;
    window.held = [];
    window.fetch = async (request, ...rest) => {
      const answer = await ask(request, ...rest);
      const url = request.url ?? String(request);
      const isHeld = url.includes(${JSON.stringify(address)}) && !(${but !== ''} && url.includes(${JSON.stringify(but)}));
      if (isHeld) await new Promise((go) => held?.push(go) ?? go());
      return answer;
    };
  })()`);
  return {
    first: () => page.waitForFunction('held.length > 0'),
    letGo: async () => void (await page.evaluate('(() => { for (const go of held) go(); held = null; })()')),
  };
}
