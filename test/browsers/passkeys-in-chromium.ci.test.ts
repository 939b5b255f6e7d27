import { passkeyStory } from './passkey-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', passkeyStory).run();
