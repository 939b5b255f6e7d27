import { manyThingsStory } from './many-things-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', manyThingsStory).run();
