// What the page keeps at most. Whatever a broker sends, a phone that shows it goes on working.

export const limits = { sites: 10000, gateways: 20000, beacons: 20000, sources: 20000, circles: 5000, zones: 1000, events: 200, trail: 500, names: 1000 };
