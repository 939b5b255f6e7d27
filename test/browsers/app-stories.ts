import { acknowledgeStory, notificationStory } from './acknowledge-story.ts';
import { alertsStory } from './alerts-story.ts';
import { appStory } from './app-story.ts';
import { channelsStory } from './channels-story.ts';
import { connectionStory } from './connection-story.ts';
import { deviceStory } from './device-story.ts';
import { eventStory } from './event-story.ts';
import { firstLoadStory } from './first-load-story.ts';
import { firstRunStory } from './first-run-story.ts';
import { germanStory } from './german-story.ts';
import { inboxStory } from './inbox-story.ts';
import { installStory } from './install-story.ts';
import { longTextsStory } from './long-texts-story.ts';
import { looksStory } from './looks-story.ts';
import { offlineStory } from './offline-story.ts';
import { partsStory } from './parts-story.ts';
import { readStory } from './read-story.ts';
import { scriptsStory } from './scripts-story.ts';
import { settingsStory } from './settings-story.ts';
import { tabsStory } from './tabs-story.ts';
import { upgradeStory } from './upgrade-story.ts';
import { wideStory } from './wide-story.ts';

/** All of the web app but what is for owners and admins. */
export const APP_STORIES = [
  appStory,
  deviceStory,
  firstLoadStory,
  inboxStory,
  readStory,
  wideStory,
  eventStory,
  alertsStory,
  acknowledgeStory,
  notificationStory,
  channelsStory,
  settingsStory,
  partsStory,
  connectionStory,
  offlineStory,
  tabsStory,
  upgradeStory,
  installStory,
  looksStory,
  germanStory,
  scriptsStory,
  longTextsStory,
  // Last: Chromium's first connection to its push service may take it a minute, and here the push comes at once.
  firstRunStory,
];
