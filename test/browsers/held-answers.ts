import type { Page } from 'puppeteer-core';

/** From now on the page waits for the answers of the API at an address that contains this, until they are let go. */
export async function holdAnswers(
  page: Page,
  address: string,
): Promise<{ first(): Promise<unknown>; letGo(): Promise<void> }> {
  await page.evaluate(`(() => {
    const ask = window.fetch;
    window.held = [];
    window.fetch = async (request, ...rest) => {
      const answer = await ask(request, ...rest);
      if ((request.url ?? String(request)).includes(${JSON.stringify(address)})) await new Promise((go) => held?.push(go) ?? go());
      return answer;
    };
  })()`);
  return {
    first: () => page.waitForFunction('held.length > 0'),
    letGo: async () => void (await page.evaluate('(() => { for (const go of held) go(); held = null; })()')),
  };
}
