import type { Answer } from './problem.ts';

export async function partOf<T, Part>(coming: Promise<Answer<T>>, part: (data: T) => Part): Promise<Answer<Part>> {
  const answer = await coming;
  return answer.ok ? { ok: true, data: part(answer.data) } : answer;
}
