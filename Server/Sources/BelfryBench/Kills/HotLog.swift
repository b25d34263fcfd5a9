import BelfrySQLite
import Foundation

/// What the next process has to read of SQLite's log of writes. The file's length does not say it: the log begins anew at
/// the front once all of it was copied back, and what stood there before is left behind it
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct HotLog {
    /// What the median of the logs at the kills must be at least, in bytes. A log grows from nothing to
    /// ``WriteAheadLog/checkpointPages`` and begins anew, so kills at random moments meet it half full on average; half of
    /// that is left for chance. A load that writes less does not show what REL-1 asks for.
    static let least = WriteAheadLog.checkpointPages * pageBytes / 4

    private static let pageBytes = 4_096
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    /// Where the size of a page is said in the header, and where the two salts are, which each frame of this log repeats.
    private static let pageSize = 8..<12
    private static let salts = 16..<24
    private static let frameSalts = 8..<16

    let bytes: Int

    /// - Parameter file: all of it.
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
