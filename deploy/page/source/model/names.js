// The names that people gave to beacons and zones: from the files that the build was given. A name is shown, an id is what counts.

/** The names of a page; without any, each thing is called by its numbers or its id. */
export class Names {
  /** `given` has `beacons`, names by `UUID/major/minor`, and `zones`, names by id. */
  constructor(given) {
    this.beacons = new Map(Object.entries(given?.beacons ?? {}));
    this.zones = new Map(Object.entries(given?.zones ?? {}));
  }

  /** A beacon's name; its major and minor where it has none. */
  beacon({ uuid, major, minor }) {
    return this.beacons.get(`${uuid}/${major}/${minor}`) ?? `${major}/${minor}`;
  }

  zone(id) {
    return this.zones.get(id) ?? id;
  }
}
