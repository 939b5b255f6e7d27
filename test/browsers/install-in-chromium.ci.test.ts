import { installStory } from './install-story.ts';
import { browserSuite } from './story.ts';
import { upgradeStory } from './upgrade-story.ts';

browserSuite('chromium', upgradeStory, installStory).run();
