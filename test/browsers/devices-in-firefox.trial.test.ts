import { deviceStory } from './device-story.ts';
import { browserSuite } from './story.ts';
import { tabsStory } from './tabs-story.ts';

browserSuite('firefox', deviceStory, tabsStory).run();
