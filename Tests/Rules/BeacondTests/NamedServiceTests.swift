import ServiceLifecycle
import Synchronization
import Testing

@testable import beacond

@Suite("Services of the agent")
struct NamedServiceTests {
    /// A value that counts how often it is described.
    private struct LargeService: Service {
        final class Content: CustomStringConvertible, Sendable {
            let timesWritten = Mutex(0)

            var description: String {
                timesWritten.withLock { $0 += 1 }
                return "everything"
            }
        }

        let content = Content()

        func run() async throws {}
    }

    @Test("A service is named by its type, without describing its value")
    func name() {
        let service = LargeService()
        let configuration = ServiceGroupConfiguration.ServiceConfiguration(service, whenItReturns: .ignore)
        #expect(configuration.serviceName == "LargeService")
        #expect(service.content.timesWritten.withLock { $0 } == 0)
    }
}
