import RealModule

/// Finds the circles that contain a place, at a cost independent of their number.
///
/// Circles are in the cells of a grid by their centres. Each size, from 1 m to 131 km by powers of two, has a grid of
/// its own. So a place looks at few cells, and each cell has few circles that are far too small or too large for it.
///
/// Cells are bands of latitude cut into columns. A band has so many columns that they are about as wide as the band is
/// high: few near the poles, and one at a pole. Columns wrap around the Earth: the last one lies beside the first.
struct CircleGrid: Sendable {
    struct Entry: Sendable {
        var slot: InstanceSlot
        var circle: Circle
    }

    private struct Cell: Hashable {
        var level: UInt8
        var band: Int32
        var column: Int32
    }

    private static let levels = 18
    /// A lower bound of a degree. On the ellipsoid a degree is at least 110,574 m, and 111,320 m along the equator. So
    /// a search may be too wide, never too narrow.
    private static let degree_m = 110_000.0
    private static let radiansPerDegree = Double.pi / 180

    private var cells: [Cell: [Entry]] = [:]
    private var countOfLevel = [Int](repeating: 0, count: levels)
    private(set) var count = 0

    mutating func insert(_ slot: InstanceSlot, _ circle: Circle) {
        let cell = cell(of: circle)
        cells[cell, default: []].append(Entry(slot: slot, circle: circle))
        countOfLevel[Int(cell.level)] += 1
        count += 1
    }

    mutating func remove(_ slot: InstanceSlot, _ circle: Circle) {
        let cell = cell(of: circle)
        guard let index = cells[cell]?.firstIndex(where: { $0.slot == slot }) else { return }
        cells[cell]?.remove(at: index)
        if cells[cell]?.isEmpty == true { cells[cell] = nil }
        countOfLevel[Int(cell.level)] -= 1
        count -= 1
    }

    /// Visits the circles whose centres are as near to a place as their radius, and some others.
    func forEach(near place: Coordinate, _ visit: (Entry) -> Void) {
        for level in countOfLevel.indices where countOfLevel[level] > 0 {
            let reach = Self.reach_deg(level)
            let south = Self.band(place.latitude - reach, level)
            let north = Self.band(place.latitude + reach, level)
            let halfWidth = Self.halfWidth_deg(place.latitude, reach)
            for band in south...max(south, north) {
                let columns = Self.columns(band, level)
                let west = Self.column(place.longitude - halfWidth, columns)
                let east = Self.column(place.longitude + halfWidth, columns)
                for column in west...min(max(west, east), west + columns - 1) {
                    let around = ((column % columns) + columns) % columns
                    let cell = Cell(level: UInt8(level), band: Int32(band), column: Int32(around))
                    for entry in cells[cell] ?? []
                    where (entry.circle.center.latitude - place.latitude).magnitude <= reach { visit(entry) }
                }
            }
        }
    }

    private func cell(of circle: Circle) -> Cell {
        let level = Self.level(circle.radius_m)
        let band = Self.band(circle.center.latitude, level)
        let columns = Self.columns(band, level)
        let column = Self.column(circle.center.longitude, columns)
        // 180° is −180°.
        return Cell(level: UInt8(level), band: Int32(band), column: Int32(column % columns))
    }

    /// Returns the first level whose largest radius, 2 to the power of the level, is large enough.
    private static func level(_ radius_m: Double) -> Int {
        var level = 0
        while level < levels - 1, largest_m(level) < radius_m { level += 1 }
        return level
    }

    private static func largest_m(_ level: Int) -> Double { Double(1 << level) }

    /// Returns the largest radius of a level, in degrees of latitude.
    private static func reach_deg(_ level: Int) -> Double { largest_m(level) / degree_m }

    /// Returns the height of a band, in degrees. A place looks at two or three bands.
    private static func height_deg(_ level: Int) -> Double { 2 * reach_deg(level) }

    /// Returns the band of a latitude, from 0 at the south pole. A latitude beyond a pole gets the last band there.
    private static func band(_ latitude: Double, _ level: Int) -> Int {
        Int((min(max(latitude, -90), 90) + 90) / height_deg(level))
    }

    /// Returns the number of columns of a band, at least 1.
    private static func columns(_ band: Int, _ level: Int) -> Int {
        let height = height_deg(level)
        let edges = (Double(band) * height - 90, Double(band + 1) * height - 90)
        let widest = edges.0 * edges.1 <= 0 ? 0 : min(edges.0.magnitude, edges.1.magnitude)
        return max(1, Int(360 * .cos(min(widest, 90) * radiansPerDegree) / height))
    }

    /// Returns the column of a longitude, from 0 at −180°. Beyond the antimeridian the count continues.
    private static func column(_ longitude: Double, _ columns: Int) -> Int {
        Int(((longitude + 180) / 360 * Double(columns)).rounded(.down))
    }

    /// Returns the largest difference in longitude between a place and a centre `reach` away from it, on a sphere.
    /// Degrees; 180 where the reach includes a pole.
    private static func halfWidth_deg(_ latitude: Double, _ reach: Double) -> Double {
        guard latitude.magnitude + reach < 90 else { return 180 }
        let sine = Double.sin(reach * radiansPerDegree) / .cos(latitude * radiansPerDegree)
        return sine < 1 ? .asin(sine) / radiansPerDegree : 180
    }
}
