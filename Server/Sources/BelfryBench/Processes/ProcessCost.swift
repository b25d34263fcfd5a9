import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What this process has cost so far.
enum ProcessCost {
    /// Processor time in user and system mode, of all threads: the sum that `getrusage` tells, in nanoseconds.
    static var cpuSeconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The most memory that was resident (`VmHWM`). Nil where there is no `/proc`.
    static var peakRSSBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }

    /// From now on the peak counts anew, where the system lets a process say so.
    static func forgetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }
}

/// What another process has cost so far, as `/proc` tells it; nil where there is none.
enum ChildCost {
    /// Memory that is resident now (`VmRSS`).
    static func residentBytes(of process: Int32) -> Int? {
        bytes(of: process, named: "VmRSS:")
    }

    /// The most that was resident at a time (`VmHWM`).
    static func peakResidentBytes(of process: Int32) -> Int? {
        bytes(of: process, named: "VmHWM:")
    }

    private static func bytes(of process: Int32, named name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }

    /// Files, sockets and the like that are open now.
    static func openFiles(of process: Int32) -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Processor time in user and system mode, of all threads; in steps of a hundredth of a second.
    static func cpuSeconds(of process: Int32) -> Double? {
        ProcessStat.read(process).map { seconds($0.ticks) }
    }

    /// The same of a process and all its children together, also of those that have ended.
    static func cpuSeconds(ofFamily process: Int32) -> Double? {
        ProcessStat.read(process).map { stat in
            let living = ProcessStat.children(of: process).map { $0.stat.ticks }.reduce(0, +)
            return seconds(stat.ticks + stat.childTicks + living)
        }
    }

    private static func seconds(_ ticks: Int) -> Double {
        Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes that it has given to a disk. Nil also where it may not be asked.
    static func writtenBytes(of process: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// The same of a process and all its children together, also of those that have ended.
    static func writtenBytes(ofFamily process: Int32) -> Int? {
        // The system adds what a child wrote to its parent's when the child has ended.
        writtenBytes(of: process).map { own in
            own + ProcessStat.children(of: process).compactMap { writtenBytes(of: $0.id) }.reduce(0, +)
        }
    }
}
