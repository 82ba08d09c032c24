import Core
import Glibc

/// The terminal on standard output, taken over for a picture that is drawn again and again, and then restored.
struct Terminal {
    private let output = Output(descriptor: STDOUT_FILENO)
    /// The former keyboard settings; `nil` where standard input is no terminal, or is not changed.
    private var formerInput: termios?

    /// True if standard output is a terminal that understands cursor movements.
    static var isThere: Bool {
        guard isatty(STDOUT_FILENO) == 1, let type = getenv("TERM") else { return false }
        let name = String(cString: type)
        return !name.isEmpty && name != "dumb"
    }

    /// True if the user wants colours there: https://no-color.org.
    static var takesColours: Bool {
        guard let refusal = getenv("NO_COLOR") else { return true }
        return refusal.pointee == 0
    }

    /// The window; 80 by 24 where the terminal does not know.
    var size: ScanTable.Size { Self.size(of: STDOUT_FILENO) }

    /// The window of a terminal.
    static func size(of descriptor: Int32) -> ScanTable.Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScanTable.Size(width: 80, height: 24)
        }
        return ScanTable.Size(width: Int(window.ws_col), height: Int(window.ws_row))
    }

    var isBroken: Bool { output.isBroken }

    /// Switches to the alternate screen, hides the cursor, and turns the echo of keys off.
    mutating func enter() {
        var input = termios()
        // A process in the background must not touch the keyboard: the kernel would stop it.
        if tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &input) == 0 {
            formerInput = input
            input.c_lflag &= ~tcflag_t(ECHO | ICANON)
            tcsetattr(STDIN_FILENO, TCSANOW, &input)
        }
        write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Restores the terminal. Keys typed meanwhile are dropped.
    mutating func leave() {
        write("\u{1B}[?25h\u{1B}[?1049l")
        if var input = formerInput { tcsetattr(STDIN_FILENO, TCSAFLUSH, &input) }
        formerInput = nil
    }

    /// Draws over the present picture. There must be no more lines than the window has.
    func draw(_ lines: [String]) {
        let clearLine = "\u{1B}[K"
        let clearBelow = "\u{1B}[J"
        write("\u{1B}[H" + lines.map { $0 + clearLine }.joined(separator: "\r\n") + clearBelow)
    }

    /// Prints plain lines, after the terminal was restored.
    func print(_ lines: [String]) { write(lines.map { $0 + "\n" }.joined()) }

    private func write(_ text: String) {
        output.write(text.utf8)
        output.flush()
    }
}
