import { endedSessionStory } from './ended-session-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', endedSessionStory).run();
