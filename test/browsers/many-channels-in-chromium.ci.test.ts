import { dashboardStory } from './dashboard-story.ts';
import { manyChannelsStory } from './many-channels-story.ts';
import { referenceStory } from './reference-story.ts';
import { browserSuite } from './story.ts';
import { webhooksStory } from './webhooks-story.ts';

browserSuite('chromium', manyChannelsStory, dashboardStory, webhooksStory, referenceStory).run();
