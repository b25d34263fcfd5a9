import Foundation

/// The content of `/proc/PID/stat`. Times are in clock ticks, in user and system mode together.
struct ProcessStat: Hashable, Sendable {
    let name: String
    let parent: Int32
    /// The processor time of all threads of the process.
    let ticks: Int
    /// The processor time of its children that have ended.
    let childTicks: Int

    /// - Parameter text: the whole file. Returns nil for a text that is not such a file.
    init?(_ text: String) {
        // The name is in parentheses and may contain any characters.
        guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")"), start < end else { return nil }
        // The fields from the third on: the parent is the 4th, the times are the 14th to the 17th.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap { Int($0) }
        guard times.count == 4 else { return nil }
        name = String(text[text.index(after: start)..<end])
        self.parent = parent
        ticks = times[0] + times[1]
        childTicks = times[2] + times[3]
    }

    /// - Returns: nil when there is no such process or no `/proc`.
    static func read(_ process: Int32) -> ProcessStat? {
        (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)).flatMap { ProcessStat($0) }
    }

    /// All present children of a process.
    static func children(of process: Int32) -> [(id: Int32, stat: ProcessStat)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { id in
            guard let stat = read(id), stat.parent == process else { return nil }
            return (id: id, stat: stat)
        }
    }
}
