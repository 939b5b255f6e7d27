/** Something of the event waits to be sent, or is out. In these words, so that the index `event_unfinished` serves. */
export const UNFINISHED = 'targeted > accepted + failed + unregistered + expired + withdrawn';
