import type { Answer } from './problem.ts';

/** Loads `count` pages one after the other from the first, or fewer if the list is shorter by now. */
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
