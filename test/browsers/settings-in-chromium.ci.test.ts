import { appStory } from './app-story.ts';
import { passkeyStory } from './passkey-story.ts';
import { settingsStory } from './settings-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', appStory, settingsStory, passkeyStory).run();
