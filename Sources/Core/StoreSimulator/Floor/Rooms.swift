/// Rooms of one size side by side, with walls between them: columns along the street, rows into the shop, and floors that are alike.
///
/// Room 0 is the one at the door. They count along the street first, then into the shop, then upwards. The stairs of each floor are in
/// the room above room 0.
package struct Rooms: Hashable, Sendable {
    static let width_m = 8.0
    static let depth_m = 7.0
    /// From one floor to the next.
    static let height_m = 3.5
    /// What a wall between two rooms takes from a signal, dB.
    static let wall_db = 6.0
    /// What a ceiling of concrete takes, dB.
    static let ceiling_db = 15.0

    /// Those of all floors.
    package let count: Int
    let floors: Int
    private let columns: Int

    private var onEachFloor: Int { count / floors }

    /// - Parameters:
    ///   - count: of all floors, at least 1; those of a floor make a rectangle that is about as wide as deep, the last row of which may be
    ///     short.
    ///   - floors: at least 1; where `count` can't be divided by it, there are a few rooms fewer.
    package init(count: Int, floors: Int = 1) {
        self.floors = max(1, min(floors, count))
        let onEachFloor = max(1, count / self.floors)
        self.count = onEachFloor * self.floors
        var columns = 1
        while columns * columns < onEachFloor { columns += 1 }
        self.columns = columns
    }

    /// 0 is the ground floor.
    func floor(of room: Int) -> Int { room / onEachFloor }

    /// The way in from the street, in front of room 0.
    var door: FloorPoint { FloorPoint(x_m: Self.width_m / 2, y_m: 0) }

    /// The middle of a room, where its gateway hangs.
    func middle(of room: Int) -> FloorPoint {
        let (column, row) = place(of: room)
        return FloorPoint(
            x_m: (Double(column) + 0.5) * Self.width_m, y_m: (Double(row) + 0.5) * Self.depth_m,
            z_m: Double(floor(of: room)) * Self.height_m)
    }

    /// The room that a place is in; the nearest one for a place outside of all.
    func room(at position: FloorPoint) -> Int {
        let (column, row) = (Self.step(position.x_m, Self.width_m), Self.step(position.y_m, Self.depth_m))
        let lastRow = (onEachFloor - 1) / columns
        // Halfway up the stairs one is on the next floor.
        let floor = min(max(Self.step(position.z_m + Self.height_m / 2, Self.height_m), 0), floors - 1)
        let onFloor = min(max(row, 0), lastRow) * columns + min(max(column, 0), columns - 1)
        return floor * onEachFloor + min(onFloor, onEachFloor - 1)
    }

    /// What the walls and ceilings between two places take from a signal, dB.
    func loss_db(from one: FloorPoint, to other: FloorPoint) -> Double {
        let (from, to) = (room(at: one), room(at: other))
        let (fromPlace, toPlace) = (place(of: from), place(of: to))
        return Double(abs(fromPlace.column - toPlace.column) + abs(fromPlace.row - toPlace.row)) * Self.wall_db
            + Double(abs(floor(of: from) - floor(of: to))) * Self.ceiling_db
    }

    /// The rooms that share a wall with one, and so a door, and those that stairs lead to.
    func neighbours(of room: Int) -> [Int] {
        let (column, first) = (place(of: room).column, floor(of: room) * onEachFloor)
        let besides = [
            column > 0 ? room - 1 : -1, column < columns - 1 ? room + 1 : -1, room - columns, room + columns,
        ].filter { (first..<first + onEachFloor).contains($0) }
        guard room == first else { return besides }
        return besides + [room - onEachFloor, room + onEachFloor].filter { (0..<count).contains($0) }
    }

    private func place(of room: Int) -> (column: Int, row: Int) {
        let onFloor = room % onEachFloor
        return (onFloor % columns, onFloor / columns)
    }

    private static func step(_ metres: Double, _ size_m: Double) -> Int {
        Int(min(max((metres / size_m).rounded(.down), -1), 1_000))
    }
}
