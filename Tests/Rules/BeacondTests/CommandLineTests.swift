import Testing

@testable import beacond

@Suite("The first word of the command line")
struct CommandLineTests {
    @Test(
        "A word that is nearly a command is answered with that command",
        arguments: [("chek", "check"), ("Run", "run"), ("simulat", "simulate")])
    func suggestion(word: String, command: String) {
        #expect(Beacond.complaint(about: word) == "beacond has no command '\(word)': did you mean \(command)?")
    }

    @Test("A word that is like no command is answered with the way to the list")
    func unlike() {
        #expect(
            Beacond.complaint(about: "window") == "beacond has no command 'window': 'beacond --help' lists the commands"
        )
    }

    @Test(
        "Commands, options and no word at all are left to the parser",
        arguments: ["check", "help", "--version", "-h", nil])
    func known(word: String?) {
        #expect(Beacond.complaint(about: word) == nil)
    }
}
