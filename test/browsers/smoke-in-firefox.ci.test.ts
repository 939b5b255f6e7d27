import { alertsStory } from './alerts-story.ts';
import { appStory } from './app-story.ts';
import { deviceStory } from './device-story.ts';
import { readStory } from './read-story.ts';
import { settingsStory } from './settings-story.ts';
import { smokeSuite } from './story.ts';

smokeSuite('firefox', appStory, readStory, alertsStory, deviceStory, settingsStory).run();
