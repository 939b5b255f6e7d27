import { maintenanceStory } from './maintenance-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', maintenanceStory).run();
