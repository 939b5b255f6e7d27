import { plural, whole } from '../../format/numbers.ts';
import type { Translation } from '../../translation.ts';
import type { texts as english } from '../workspace-channels.ts';

export const texts: Translation<typeof english> = {
  title: 'Kanäle',
  about: 'Ein Ereignis geht an einen Kanal, und von dort an jedes Gerät, das ihn abonniert hat.',
  loading: 'Kanäle werden geladen',
  create: 'Kanal anlegen',
  createTitle: 'Kanal anlegen',
  slug: 'Kürzel',
  slugHint: 'So nennen ihn Programme. Es bleibt: Buchstaben, Ziffern, Punkte, Binde- und Unterstriche.',
  name: 'Name',
  nameHint: 'Was Menschen sehen. Ohne Angabe: das Kürzel.',
  emptyTitle: 'Noch keine Kanäle',
  emptyText: 'Den ersten anlegen: Ereignisse brauchen einen Kanal.',
  devices: (count) => `${whole(count)} ${plural(count, 'Gerät', 'Geräte')}`,
  inactive: 'inaktiv: nimmt keine Ereignisse an',
  rename: 'Umbenennen',
  renameNamed: (name) => `${name} umbenennen`,
  renameTitle: (name) => `${name} umbenennen`,
  activate: 'Aktivieren',
  activateNamed: (name) => `${name} aktivieren`,
  deactivate: 'Deaktivieren',
  deactivateNamed: (name) => `${name} deaktivieren`,
  remove: 'Löschen',
  removeNamed: (name) => `${name} löschen`,
  removeTitle: (name) => `${name} löschen?`,
  removeText: (devices) =>
    `Die Ereignisse des Kanals verschwinden und ${plural(devices, 'das Abonnement', 'die Abonnements')} von ${whole(devices)} ${plural(devices, 'Gerät', 'Geräten')}. Was noch nicht gesendet ist, wird nicht mehr gesendet. Das lässt sich nicht rückgängig machen; sollen nur keine neuen Ereignisse kommen, genügt es, ihn zu deaktivieren.`,
  wasCreated: (name) => `${name} nimmt jetzt Ereignisse an.`,
  wasRemoved: (name) => `${name} ist gelöscht.`,
  isActive: (name) => `${name} nimmt wieder Ereignisse an.`,
  isInactive: (name) => `${name} nimmt keine Ereignisse mehr an. Die Abonnements bleiben.`,
};
