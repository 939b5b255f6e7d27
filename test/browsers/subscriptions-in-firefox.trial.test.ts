import { forgottenStory, subscriptionStory } from './push-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', forgottenStory, subscriptionStory).run();
