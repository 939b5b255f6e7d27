import { appStory } from './app-story.ts';
import { deviceStory } from './device-story.ts';
import { inboxStory } from './inbox-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', appStory, deviceStory, inboxStory).run();
