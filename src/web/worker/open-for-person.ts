import { SIGNED_OUT } from '../messages.ts';

/** Opens a cache that belongs to the signed-in person; null: no user is signed in. */
export async function openForPerson(name: string): Promise<Cache | null> {
  const cache = await caches.open(name);
  // This check comes after the cache was opened: if a session ends now, the cache is removed with its new entry.
  if (!(await caches.has(SIGNED_OUT))) return cache;
  await caches.delete(name);
  return null;
}
