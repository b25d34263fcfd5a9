/// A bar in one line of a terminal: `[██████░░░░░░]  45 %  540000 pending`.
struct ProgressBar: Hashable, Sendable {
    /// How long a bar is, when there is room.
    static let cells = 10...40
    /// Brackets, the percentage and the spaces around it.
    private static let frame = 10

    /// 0 to 100.
    let percent: Int
    let text: String

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
