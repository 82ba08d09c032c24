/// What `beacond --version` and `status` say.
package enum Version {
    package static let current = "0.2.0"
}
