import type { Answer } from './problem.ts';

/** Loads the first `count` pages in turn, or fewer if the list has shrunk. */
export async function pagesAgain<Page extends { readonly next: string | null }>(
  load: (from: string | undefined) => Promise<Answer<Page>>,
  count: number,
): Promise<Answer<readonly Page[]>> {
  const pages: Page[] = [];
  for (let from: string | null | undefined; from !== null && pages.length < Math.max(1, count); ) {
    const answer: Answer<Page> = await load(from);
    if (!answer.ok) return answer;
    pages.push(answer.data);
    from = answer.data.next;
  }
  return { ok: true, data: pages };
}
