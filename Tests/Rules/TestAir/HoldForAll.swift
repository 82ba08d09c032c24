extension Sequence {
    /// Whether there is an element, and `condition` holds for each. A test that asks `allSatisfy` passes where nothing
    /// happened at all.
    public func holdForAll(_ condition: (Element) throws -> Bool) rethrows -> Bool {
        var isEmpty = true
        for element in self {
            isEmpty = false
            if try !condition(element) { return false }
        }
        return !isEmpty
    }
}
