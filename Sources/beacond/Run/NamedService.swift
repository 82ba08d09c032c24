import ServiceLifecycle

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service that the group calls by its type.
    ///
    /// Left to itself, the group names a service by all that it holds, written out. The radio's holds the engine: with 10,000
    /// regions that was six seconds of a start, and 30 MiB, before anything was heard.
    init(_ service: any Service, whenItReturns behavior: TerminationBehavior) {
        self.init(service: service, successTerminationBehavior: behavior, serviceName: "\(type(of: service))")
    }
}
