/// What gpsd is asked (gpsd_json(5)): a question mark, the request's name, its values, a semicolon.
enum GPSDRequest {
    /// Reports please: gpsd opens its receivers.
    static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    /// No more reports: once nobody watches, gpsd closes its receivers after a minute.
    static let unwatch = Array("?WATCH={\"enable\":false};\n".utf8)
    /// Which receivers are there? It wakes none of them.
    static let devices = Array("?DEVICES;\n".utf8)
}
