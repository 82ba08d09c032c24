// The page's limits. Whatever a broker sends, a phone that shows it goes on working. `sites` and `gateways` count over
// all stores, `gatewaysOfSite` over one, so that no store takes the room of the others. The others are of one store;
// `states`, `names`, `trail` and `pages` are of one gateway. `entries` are those of the lists of beacons,
// `heatCells` those of all sheets of a heat map. An hour of a heat map goes as a whole.

export const limits = { sites: 10000, gateways: 20000, gatewaysOfSite: 2000, beacons: 20000, sources: 20000, circles: 5000, zones: 1000, statesOfZones: 20000, events: 200, storeEvents: 600, trail: 500, names: 1000, pages: 25, entries: 100000, sheets: 100, heatCells: 20000 };
