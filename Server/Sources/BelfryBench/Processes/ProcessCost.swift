import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The resources that this process has used so far.
enum ProcessCost {
    /// Processor time of all threads in user and system mode, in seconds. It is the sum of `getrusage` with a
    /// resolution of nanoseconds.
    static var cpuSeconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The peak resident memory (`VmHWM`). Nil on a system without `/proc`.
    static var peakRSSBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }

    /// Resets the peak, if the system allows a process to do so.
    static func forgetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }
}

/// The resources that another process has used so far, from `/proc`. Nil on a system without it.
enum ChildCost {
    /// The resident memory at present (`VmRSS`).
    static func residentBytes(of process: Int32) -> Int? {
        bytes(of: process, named: "VmRSS:")
    }

    /// The peak resident memory (`VmHWM`).
    static func peakResidentBytes(of process: Int32) -> Int? {
        bytes(of: process, named: "VmHWM:")
    }

    private static func bytes(of process: Int32, named name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }

    /// The number of open files, sockets and the like.
    static func openFiles(of process: Int32) -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Processor time of all threads in user and system mode, in steps of 10 ms.
    static func cpuSeconds(of process: Int32) -> Double? {
        ProcessStat.read(process).map { seconds($0.ticks) }
    }

    /// Processor time of a process and all its children, including children that have ended.
    static func cpuSeconds(ofFamily process: Int32) -> Double? {
        ProcessStat.read(process).map { stat in
            let living = ProcessStat.children(of: process).map { $0.stat.ticks }.reduce(0, +)
            return seconds(stat.ticks + stat.childTicks + living)
        }
    }

    private static func seconds(_ ticks: Int) -> Double {
        Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes that the process has written to a disk. Nil also when this may not be read.
    static func writtenBytes(of process: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// Bytes that a process and all its children have written to a disk, including children that have ended.
    static func writtenBytes(ofFamily process: Int32) -> Int? {
        // The system adds a child's bytes to its parent's when the child has ended.
        writtenBytes(of: process).map { own in
            own + ProcessStat.children(of: process).compactMap { writtenBytes(of: $0.id) }.reduce(0, +)
        }
    }
}
