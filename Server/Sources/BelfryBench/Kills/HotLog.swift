import BelfrySQLite
import Foundation

/// How much of SQLite's write-ahead log the next process must read. The file's length does not tell: once all of the
/// log was copied back, it begins again at the front of the file, and the former content stays after it
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct HotLog {
    /// The minimum median, in bytes, of the logs at the kills. A log grows from nothing to
    /// ``WriteAheadLog/checkpointPages`` and begins again, so kills at random moments find it half full on average;
    /// half of that allows for chance. A load that writes less does not show what REL-1 requires.
    static let least = WriteAheadLog.checkpointPages * pageBytes / 4

    private static let pageBytes = 4_096
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    /// The positions of the page size in the header, and of the two salts, which each frame of this log repeats.
    private static let pageSize = 8..<12
    private static let salts = 16..<24
    private static let frameSalts = 8..<16

    let bytes: Int

    /// - Parameter file: the whole content of the log file.
    init(_ file: Data) {
        let file = [UInt8](file)
        guard file.count >= Self.headerBytes else {
            bytes = 0
            return
        }
        let page = file[Self.pageSize].reduce(0) { $0 << 8 | Int($1) }
        let salts = file[Self.salts]
        let frame = Self.frameHeaderBytes + page
        var end = Self.headerBytes
        while page > 0, end + frame <= file.count,
            file[(end + Self.frameSalts.lowerBound)..<(end + Self.frameSalts.upperBound)] == salts
        {
            end += frame
        }
        bytes = end > Self.headerBytes ? end : 0
    }
}
