import { SIGNED_OUT } from '../messages.ts';

/** Opens a cache of the signed-in person; null: nobody is signed in. */
export async function openForPerson(name: string): Promise<Cache | null> {
  const cache = await caches.open(name);
  // Checked after opening: a session ending now removes the cache with its entry.
  if (!(await caches.has(SIGNED_OUT))) return cache;
  await caches.delete(name);
  return null;
}
