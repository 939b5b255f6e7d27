import { subscriptionStory } from './push-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', subscriptionStory).run();
