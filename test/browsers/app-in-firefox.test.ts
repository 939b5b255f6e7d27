import { appStory } from './app-story.ts';
import { connectionStory } from './connection-story.ts';
import { deviceStory } from './device-story.ts';
import { inboxStory } from './inbox-story.ts';
import { looksStory } from './looks-story.ts';
import { settingsStory } from './settings-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', appStory, deviceStory, inboxStory, settingsStory, connectionStory, looksStory).run();
