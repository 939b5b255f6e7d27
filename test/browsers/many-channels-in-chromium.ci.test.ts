import { dashboardStory } from './dashboard-story.ts';
import { manyChannelsStory } from './many-channels-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', manyChannelsStory, dashboardStory).run();
