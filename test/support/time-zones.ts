/** More than 40, with every kind of change of the clock: half an hour, at midnight, in the other half of the year, none. */
export const ZONES = [
  ...['Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Europe/Lisbon', 'Europe/Helsinki', 'Europe/Istanbul'],
  ...['Europe/Moscow', 'Europe/Chisinau', 'Atlantic/Azores', 'America/New_York', 'America/Chicago', 'America/Denver'],
  ...['America/Phoenix', 'America/Los_Angeles', 'America/Anchorage', 'America/Adak', 'Pacific/Honolulu'],
  ...['America/St_Johns', 'America/Halifax', 'America/Havana', 'America/Santiago', 'America/Asuncion'],
  ...['America/Sao_Paulo', 'America/Nuuk', 'America/Port-au-Prince', 'Africa/Cairo', 'Africa/Casablanca'],
  ...['Africa/El_Aaiun', 'Africa/Lagos', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Jerusalem', 'Asia/Tehran', 'Asia/Kolkata'],
  ...['Asia/Kathmandu', 'Asia/Tokyo', 'Asia/Shanghai', 'Australia/Sydney', 'Australia/Adelaide', 'Australia/Perth'],
  ...['Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Norfolk', 'Pacific/Apia', 'UTC'],
];
