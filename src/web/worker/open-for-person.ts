import { SIGNED_OUT } from '../messages.ts';

/** Opens a cache of what belongs to who is signed in; null: no user is. */
export async function openForPerson(name: string): Promise<Cache | null> {
  const cache = await caches.open(name);
  // Not before: when a session ends now, this cache is removed with what is put into it.
  if (!(await caches.has(SIGNED_OUT))) return cache;
  await caches.delete(name);
  return null;
}
