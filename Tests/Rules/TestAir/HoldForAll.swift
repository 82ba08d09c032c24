extension Sequence {
    /// Returns whether there is an element, and `condition` holds for each. A test with `allSatisfy` alone passes on an
    /// empty list.
    public func holdForAll(_ condition: (Element) throws -> Bool) rethrows -> Bool {
        var isEmpty = true
        for element in self {
            isEmpty = false
            if try !condition(element) { return false }
        }
        return !isEmpty
    }
}
