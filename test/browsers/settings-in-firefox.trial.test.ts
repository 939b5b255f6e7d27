import { appStory } from './app-story.ts';
import { settingsStory } from './settings-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', appStory, settingsStory).run();
