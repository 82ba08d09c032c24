/// What `beacond --version` and `status` say.
enum Version {
    static let current = "0.1.0"
}
