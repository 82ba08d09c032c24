/// A table while its document is read. Its origin decides which statements may add to it (TOML 1.0.0, "Table" and
/// "Keys").
final class TOMLTable {
    enum Origin {
        /// Opened on the way to another heading. A heading of its own may still follow.
        case path
        case heading
        /// Opened by a dotted key. Other dotted keys may add to it.
        case dottedKey
    }

    enum Entry {
        case value(DocumentValue)
        case table(TOMLTable)
        case tables(List)
    }

    /// The tables of one `[[name]]`. A class, because an array in a dictionary's enum is copied whole for each table
    /// added: ten thousand regions took seconds.
    final class List {
        var tables: [TOMLTable]

        init(_ table: TOMLTable) { tables = [table] }
    }

    private var origin: Origin
    private var entries: [String: Entry] = [:]

    init(_ origin: Origin) { self.origin = origin }

    /// The finished table. It recurses as deep as tables are nested, which the parser limits.
    var node: DocumentValue {
        .object(
            entries.mapValues { entry in
                switch entry {
                case .value(let node): node
                case .table(let table): table.node
                case .tables(let list): .array(list.tables.map(\.node))
                }
            })
    }

    /// Returns the table for a part of a heading that is not the last; `nil` where a value has that name.
    func child(onPath name: String) -> TOMLTable? {
        switch entries[name] {
        case .table(let table): return table
        case .tables(let list): return list.tables.last
        case .value: return nil
        case nil: return add(name, .path)
        }
    }

    /// Returns the table that `[name]` opens; `nil` where it exists already.
    func open(_ name: String) -> TOMLTable? {
        switch entries[name] {
        case nil: return add(name, .heading)
        case .table(let table) where table.origin == .path:
            table.origin = .heading
            return table
        default: return nil
        }
    }

    /// Returns the table that `[[name]]` adds; `nil` where another value has that name.
    func append(_ name: String) -> TOMLTable? {
        let table = TOMLTable(.heading)
        switch entries[name] {
        case nil: entries[name] = .tables(List(table))
        case .tables(let list): list.tables.append(table)
        default: return nil
        }
        return table
    }

    /// Sets a value. Returns `false` where the key exists already, or leads into a closed table.
    func set(_ path: ArraySlice<String>, _ value: DocumentValue) -> Bool {
        guard let name = path.first else { return false }
        if path.count == 1 {
            if entries[name] != nil { return false }
            entries[name] = .value(value)
            return true
        }
        switch entries[name] {
        case nil: return add(name, .dottedKey).set(path.dropFirst(), value)
        case .table(let table) where table.origin == .dottedKey: return table.set(path.dropFirst(), value)
        default: return false
        }
    }

    private func add(_ name: String, _ origin: Origin) -> TOMLTable {
        let table = TOMLTable(origin)
        entries[name] = .table(table)
        return table
    }
}
