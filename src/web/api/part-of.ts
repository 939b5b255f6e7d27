import type { Answer } from './problem.ts';

/** The part of an answer's data that is wanted. */
export async function partOf<T, Part>(coming: Promise<Answer<T>>, part: (data: T) => Part): Promise<Answer<Part>> {
  const answer = await coming;
  return answer.ok ? { ok: true, data: part(answer.data) } : answer;
}
