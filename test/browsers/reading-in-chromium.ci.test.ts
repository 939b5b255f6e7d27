import { connectionStory } from './connection-story.ts';
import { offlineStory } from './offline-story.ts';
import { browserSuite } from './story.ts';
import { wideStory } from './wide-story.ts';

browserSuite('chromium', wideStory, offlineStory, connectionStory).run();
