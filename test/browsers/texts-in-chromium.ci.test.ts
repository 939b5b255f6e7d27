import { eventStory } from './event-story.ts';
import { germanStory } from './german-story.ts';
import { longTextsStory } from './long-texts-story.ts';
import { printStory } from './print-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', germanStory, longTextsStory, eventStory, printStory).run();
