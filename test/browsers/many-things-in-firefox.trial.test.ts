import { manyThingsStory } from './many-things-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', manyThingsStory).run();
