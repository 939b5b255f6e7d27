import { maintenanceStory } from './maintenance-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', maintenanceStory).run();
