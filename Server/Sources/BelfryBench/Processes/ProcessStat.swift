import Foundation

/// What `/proc/PID/stat` says of a process. Times are in ticks of the system's clock, in user and system mode together.
struct ProcessStat: Hashable, Sendable {
    let name: String
    let parent: Int32
    /// Of all its threads.
    let ticks: Int
    /// Of its children that have ended.
    let childTicks: Int

    /// - Parameter text: the whole file. Nil for what is none.
    init?(_ text: String) {
        // The name stands in parentheses and may hold anything.
        guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")"), start < end else { return nil }
        // From the third field on: the parent is the 4th, the times are the 14th to the 17th.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap { Int($0) }
        guard times.count == 4 else { return nil }
        name = String(text[text.index(after: start)..<end])
        self.parent = parent
        ticks = times[0] + times[1]
        childTicks = times[2] + times[3]
    }

    /// - Returns: nil where there is no such process, or no `/proc`.
    static func read(_ process: Int32) -> ProcessStat? {
        (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)).flatMap { ProcessStat($0) }
    }

    /// All children that a process has now.
    static func children(of process: Int32) -> [(id: Int32, stat: ProcessStat)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { id in
            guard let stat = read(id), stat.parent == process else { return nil }
            return (id: id, stat: stat)
        }
    }
}
