import Glibc
import Testing

@testable import Agent
@testable import Core

@Suite("Failed system calls")
struct SystemErrorTests {
    @Test(
        "The kernel's error of a socket gives the availability",
        arguments: [
            (EPERM, RadioAvailability.unauthorized), (ENETDOWN, .off), (ERFKILL, .blocked), (EPIPE, .absent),
            (ENODEV, .absent), (EAFNOSUPPORT, .absent), (EMFILE, .stalled),
        ])
    func availability(code: Int32, availability: RadioAvailability) {
        #expect(SystemError("bind", code: code).availability == availability)
    }

    @Test("An error names the step, the reason and the number")
    func description() {
        #expect(SystemError("bind", code: ENODEV).description == "bind: No such device (errno 19)")
    }
}
