/// Rooms of one size side by side, with walls between them: columns along the street, rows into the shop.
///
/// Room 0 is the one at the door. They count along the street first.
public struct Rooms: Hashable, Sendable {
    public static let width_m = 8.0
    public static let depth_m = 7.0
    /// What a wall between two rooms takes from a signal, dB.
    public static let wall_db = 6.0

    public let count: Int
    private let columns: Int

    /// - Parameter count: at least 1; they make a rectangle that is about as wide as deep, the last row of which may be short.
    public init(count: Int) {
        self.count = max(1, count)
        var columns = 1
        while columns * columns < self.count { columns += 1 }
        self.columns = columns
    }

    /// The middle of a room, where its gateway hangs.
    public func middle(of room: Int) -> Position {
        Position(
            x_m: (Double(room % columns) + 0.5) * Self.width_m, y_m: (Double(room / columns) + 0.5) * Self.depth_m)
    }

    /// The room that a place is in; the nearest one for a place outside of all.
    public func room(at position: Position) -> Int {
        let (column, row) = (Self.step(position.x_m, Self.width_m), Self.step(position.y_m, Self.depth_m))
        let lastRow = (count - 1) / columns
        return min(min(max(row, 0), lastRow) * columns + min(max(column, 0), columns - 1), count - 1)
    }

    /// What the walls between two places take from a signal, dB.
    func loss_db(from one: Position, to other: Position) -> Double {
        let (from, to) = (room(at: one), room(at: other))
        return Double(abs(from % columns - to % columns) + abs(from / columns - to / columns)) * Self.wall_db
    }

    /// The rooms that share a wall with one, and so a door.
    func neighbours(of room: Int) -> [Int] {
        let besides = [
            room % columns > 0 ? room - 1 : -1, room % columns < columns - 1 ? room + 1 : -1, room - columns,
            room + columns,
        ]
        return besides.filter { (0..<count).contains($0) }
    }

    private static func step(_ metres: Double, _ size_m: Double) -> Int {
        Int(min(max((metres / size_m).rounded(.down), -1), 1_000))
    }
}
