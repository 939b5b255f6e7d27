export const texts = {
  title: 'Keyboard shortcuts',
  keys: {
    '?': 'Show this help',
    '/': 'Search and filter',
    j: 'Next event',
    k: 'Previous event',
    Enter: 'Open the event',
    e: 'Resolve the alert, otherwise back to the inbox',
    s: 'Snooze the alert',
    u: 'Mark the event as unread',
    'g i': 'Go to the inbox',
    'g a': 'Go to the alerts',
    'g c': 'Go to the channels',
    'g d': 'Go to the devices',
    'g s': 'Go to the settings',
    Esc: 'Close what is open',
  },
} as const;
