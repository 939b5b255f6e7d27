import { appStory } from './app-story.ts';
import { channelsStory } from './channels-story.ts';
import { connectionStory } from './connection-story.ts';
import { deviceStory } from './device-story.ts';
import { inboxStory } from './inbox-story.ts';
import { installStory } from './install-story.ts';
import { looksStory } from './looks-story.ts';
import { settingsStory } from './settings-story.ts';
import { browserSuite } from './story.ts';

const STORIES = [
  appStory,
  deviceStory,
  inboxStory,
  channelsStory,
  settingsStory,
  connectionStory,
  installStory,
  looksStory,
];

browserSuite('chromium', ...STORIES).run();
