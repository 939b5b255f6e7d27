import { channelsStory } from './channels-story.ts';
import { heartbeatsStory } from './heartbeats-story.ts';
import { quietHoursStory } from './quiet-hours-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', channelsStory, quietHoursStory, heartbeatsStory).run();
