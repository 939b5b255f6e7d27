import { acknowledgeStory, notificationStory } from './acknowledge-story.ts';
import { alertsStory } from './alerts-story.ts';
import { connectionStory } from './connection-story.ts';
import { eventStory } from './event-story.ts';
import { inboxStory } from './inbox-story.ts';
import { offlineStory } from './offline-story.ts';
import { readStory } from './read-story.ts';
import { tabsStory } from './tabs-story.ts';
import { wideStory } from './wide-story.ts';

/** Events and alerts: how they come, are read, and stay. */
export const READING_STORIES = [
  inboxStory,
  readStory,
  wideStory,
  eventStory,
  alertsStory,
  acknowledgeStory,
  notificationStory,
  connectionStory,
  offlineStory,
  tabsStory,
];
