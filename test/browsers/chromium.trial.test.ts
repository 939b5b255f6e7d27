import { browserSuite, pushStory } from './story.ts';

browserSuite('chromium', pushStory).run();
