/// Rooms of one size side by side, with walls between them: columns along the street, rows into the shop, and equal
/// floors.
///
/// Room 0 is the one at the door. Rooms are numbered first along the street, then into the shop, then upwards. The
/// stairs of each floor are in the room above room 0.
package struct Rooms: Hashable, Sendable {
    static let width_m = 8.0
    static let depth_m = 7.0
    /// The height from one floor to the next.
    static let height_m = 3.5
    /// The loss of a wall between two rooms, dB.
    static let wall_db = 6.0
    /// The loss of a concrete ceiling, dB.
    static let ceiling_db = 15.0

    /// The number of rooms on all floors.
    package let count: Int
    let floors: Int
    private let columns: Int

    private var onEachFloor: Int { count / floors }

    /// - Parameters:
    /// - count: the number of rooms on all floors, at least 1. The rooms of a floor form a rectangle about as wide as
    ///   deep, whose last row may be short.
    /// - floors: at least 1. Where it does not divide `count`, there are a few rooms fewer.
    package init(count: Int, floors: Int = 1) {
        self.floors = max(1, min(floors, count))
        let onEachFloor = max(1, count / self.floors)
        self.count = onEachFloor * self.floors
        var columns = 1
        while columns * columns < onEachFloor { columns += 1 }
        self.columns = columns
    }

    /// Returns the floor of a room; 0 is the ground floor.
    func floor(of room: Int) -> Int { room / onEachFloor }

    /// The way in from the street, in front of room 0.
    var door: FloorPoint { FloorPoint(x_m: Self.width_m / 2, y_m: 0) }

    /// Returns the middle of a room, the place of its gateway.
    func middle(of room: Int) -> FloorPoint {
        let (column, row) = place(of: room)
        return FloorPoint(
            x_m: (Double(column) + 0.5) * Self.width_m, y_m: (Double(row) + 0.5) * Self.depth_m,
            z_m: Double(floor(of: room)) * Self.height_m)
    }

    /// Returns the room of a place; outside of all rooms, the nearest one.
    func room(at position: FloorPoint) -> Int {
        let (column, row) = (Self.step(position.x_m, Self.width_m), Self.step(position.y_m, Self.depth_m))
        let lastRow = (onEachFloor - 1) / columns
        // From halfway up the stairs, a person is on the next floor.
        let floor = min(max(Self.step(position.z_m + Self.height_m / 2, Self.height_m), 0), floors - 1)
        let onFloor = min(max(row, 0), lastRow) * columns + min(max(column, 0), columns - 1)
        return floor * onEachFloor + min(onFloor, onEachFloor - 1)
    }

    /// Returns the loss of the walls and ceilings between two places, dB.
    func loss_db(from one: FloorPoint, to other: FloorPoint) -> Double {
        let (from, to) = (room(at: one), room(at: other))
        let (fromPlace, toPlace) = (place(of: from), place(of: to))
        return Double(abs(fromPlace.column - toPlace.column) + abs(fromPlace.row - toPlace.row)) * Self.wall_db
            + Double(abs(floor(of: from) - floor(of: to))) * Self.ceiling_db
    }

    /// Returns the rooms that share a wall, and so a door, with this room, and the rooms reached by stairs.
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
