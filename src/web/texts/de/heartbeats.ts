import type { Translation } from '../../translation.ts';
import type { texts as english } from '../heartbeats.ts';

export const texts: Translation<typeof english> = {
  title: 'Heartbeats',
  loading: 'Heartbeats werden geladen',
  about:
    'Ein Job, der sich hier regelmäßig meldet. Kommt er zu spät oder meldet er einen Fehler, bekommt sein Kanal ein dringendes Ereignis.',
  states: { new: 'Noch nie gemeldet', up: 'In Ordnung', late: 'Verspätet', down: 'Ausgefallen', paused: 'Pausiert' },
  lastPing: 'Letzte Meldung',
  never: 'noch keine',
  due: 'Fällig',
  channel: 'Kanal',
  ping: 'So meldet sich der Job',
  output: 'Das Ende seiner letzten Ausgabe',
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  pauseOf: (name) => `${name} pausieren`,
  resumeOf: (name) => `${name} fortsetzen`,
  emptyTitle: 'Noch keine Heartbeats',
  empty: 'Den ersten auf dem Server anlegen:',
  add: (workspace) => `pushctl heartbeat add ${workspace} <Kanal> nightly --every 1d`,
};
