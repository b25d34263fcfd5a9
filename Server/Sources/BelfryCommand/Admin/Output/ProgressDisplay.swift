import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a long command tells how far it is: a bar that moves on a terminal, lines in a file or a pipe.
struct ProgressDisplay {
    /// Of a terminal that does not say how wide it is.
    static let standardColumns = 80

    /// How wide the terminal is; nil when it is none.
    private let columns: () -> Int?
    private let write: (String) -> Void
    private var last: CampaignProgress?
    private var lastTenth: Int?

    /// - Parameter columns: asked again for each line, for people change their windows.
    init(columns: @escaping () -> Int?, write: @escaping (String) -> Void) {
        self.columns = columns
        self.write = write
    }

    mutating func show(_ progress: CampaignProgress) {
        if let columns = columns() {
            let bar = ProgressBar(percent: progress.percent, text: progress.figures)
            // Back to the line's begin, and what was there longer is wiped.
            write("\r\(bar.line(columns: columns))\u{1b}[K")
            last = progress
        } else if progress.isNews(after: last) {
            write("\(progress.line)\n")
            last = progress
        }
    }

    /// The same of any work.
    ///
    /// - Parameter line: for a log, at each tenth of the way.
    mutating func show(percent: Int, figures: String, line: String) {
        if let columns = columns() {
            write("\r\(ProgressBar(percent: percent, text: figures).line(columns: columns))\u{1b}[K")
        } else if percent / 10 != lastTenth {
            write("\(line)\n")
        }
        lastTenth = percent / 10
    }

    /// Leaves the last bar where it is.
    func end() {
        if last != nil || lastTenth != nil, columns() != nil { write("\n") }
    }
}

extension ProgressDisplay {
    /// Standard output is for the answer alone.
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
    /// How long a bar is, when there is room.
    static let cells = 10...40
    /// Brackets, the percentage and the spaces around it.
    private static let frame = 10

    /// 0 to 100.
    let percent: Int
    let text: String

    /// Of a share from 0 to 1, whatever a server says it is: not every number has a whole one.
    static func percent(_ share: Double) -> Int {
        share >= 1 ? 100 : share > 0 ? Int(share * 100) : 0
    }

    /// Never as wide as the terminal: a line that is full moves the cursor on, and the next would stand below it.
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
