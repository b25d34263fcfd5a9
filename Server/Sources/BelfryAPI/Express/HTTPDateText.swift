import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The `Date` header of responses (RFC 9110 §6.6.1), formatted once per second.
final class HTTPDateText: Sendable {
    private let latest = Mutex<(second: Int64, text: String)>((.min, ""))

    func text(_ date: Date) -> String {
        let second = Int64(date.timeIntervalSince1970.rounded(.down))
        return latest.withLock { latest in
            if latest.second != second { latest = (second, Self.write(second)) }
            return latest.text
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`. The process keeps the C locale, so the names of days and months are English.
    private static func write(_ second: Int64) -> String {
        var moment = time_t(second)
        var parts = tm()
        gmtime_r(&moment, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let count = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
