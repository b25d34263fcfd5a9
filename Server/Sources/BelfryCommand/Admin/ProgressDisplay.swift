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

    /// Leaves the last bar where it is.
    func end() {
        if last != nil, columns() != nil { write("\n") }
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
