import { acknowledgeStory, notificationStory } from './acknowledge-story.ts';
import { alertsStory } from './alerts-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', alertsStory, acknowledgeStory, notificationStory).run();
