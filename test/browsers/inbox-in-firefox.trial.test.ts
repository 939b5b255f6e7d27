import { inboxStory } from './inbox-story.ts';
import { readStory } from './read-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', inboxStory, readStory).run();
