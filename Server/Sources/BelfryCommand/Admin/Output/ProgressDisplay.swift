import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows the progress of a long command: a moving bar on a terminal, lines in a file or a pipe.
struct ProgressDisplay {
    /// The width of a terminal that does not tell its own.
    static let standardColumns = 80

    /// The width of the terminal; nil when the output is not a terminal.
    private let columns: () -> Int?
    private let write: (String) -> Void
    private var last: CampaignProgress?
    private var lastTenth: Int?

    /// - Parameter columns: called for each line, because people resize their windows.
    init(columns: @escaping () -> Int?, write: @escaping (String) -> Void) {
        self.columns = columns
        self.write = write
    }

    mutating func show(_ progress: CampaignProgress) {
        if let columns = columns() {
            let bar = ProgressBar(percent: progress.percent, text: progress.figures)
            // Returns to the beginning of the line, and erases the rest of a longer former line.
            write("\r\(bar.line(columns: columns))\u{1b}[K")
            last = progress
        } else if progress.isNews(after: last) {
            write("\(progress.line)\n")
            last = progress
        }
    }

    /// Shows the progress of any work.
    ///
    /// - Parameter line: the line for a log, which is written at each tenth of the work.
    mutating func show(percent: Int, figures: String, line: String) {
        if let columns = columns() {
            write("\r\(ProgressBar(percent: percent, text: figures).line(columns: columns))\u{1b}[K")
        } else if percent / 10 != lastTenth {
            write("\(line)\n")
        }
        lastTenth = percent / 10
    }

    /// Leaves the last bar on the screen and moves to the next line.
    func end() {
        if last != nil || lastTenth != nil, columns() != nil { write("\n") }
    }
}

extension ProgressDisplay {
    /// Progress goes to standard error, because standard output is for the command's result alone.
    static var standardError: ProgressDisplay {
        ProgressDisplay(
            columns: { isatty(STDERR_FILENO) == 1 ? terminalColumns : nil },
            write: { FileHandle.standardError.write(Data($0.utf8)) }
        )
    }

    private static var terminalColumns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return standardColumns }
        return Int(size.ws_col)
    }
}

/// A bar in one line of a terminal: `[██████░░░░░░]  45 %  540000 pending`.
struct ProgressBar: Hashable, Sendable {
    /// The length of a bar in characters, when there is room.
    static let cells = 10...40
    /// The width of the brackets, the percentage and the spaces around it.
    private static let frame = 10

    /// The completed share in percent, 0 to 100.
    let percent: Int
    let text: String

    /// The percentage of a share. A server may send any number, also one that has no integer value; the result is 0 to
    /// 100.
    static func percent(_ share: Double) -> Int {
        share >= 1 ? 100 : share > 0 ? Int(share * 100) : 0
    }

    /// The bar's line is always narrower than the terminal: a full line would move the cursor, and the next bar would
    /// appear below it.
    func line(columns: Int) -> String {
        let room = max(columns - 1, 0)
        let cells = min(max(room - Self.frame - text.count, Self.cells.lowerBound), Self.cells.upperBound)
        let percent = min(max(percent, 0), 100)
        let filled = cells * percent / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled)
        let share = String(repeating: " ", count: 3 - "\(percent)".count) + "\(percent) %"
        return String("[\(bar)] \(share)  \(text)".prefix(room))
    }
}
