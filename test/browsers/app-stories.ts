import { appStory } from './app-story.ts';
import { channelsStory } from './channels-story.ts';
import { deviceStory } from './device-story.ts';
import { firstLoadStory } from './first-load-story.ts';
import { germanStory } from './german-story.ts';
import { installStory } from './install-story.ts';
import { longTextsStory } from './long-texts-story.ts';
import { partsStory } from './parts-story.ts';
import { settingsStory } from './settings-story.ts';
import { upgradeStory } from './upgrade-story.ts';

/** What is neither about reading events and alerts, nor for owners and admins. */
export const APP_STORIES = [
  appStory,
  deviceStory,
  firstLoadStory,
  channelsStory,
  settingsStory,
  partsStory,
  upgradeStory,
  installStory,
  germanStory,
  longTextsStory,
];
