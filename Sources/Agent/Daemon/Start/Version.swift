/// The version that `beacond --version` and `status` report.
package enum Version {
    package static let current = "0.2.0"
}
