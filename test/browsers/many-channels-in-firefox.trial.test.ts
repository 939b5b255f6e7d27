import { manyChannelsStory } from './many-channels-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', manyChannelsStory).run();
