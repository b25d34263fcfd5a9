import BelfryModel
import Foundation

/// The file with the times at which an app got its tokens. It is stored beside the tokens, because both survive a
/// restart of the phones' program.
struct TokenAgesFile: Sendable {
    /// The largest file in bytes; four dates need less.
    private static let maximumBytes = 1_024

    private let url: URL

    /// - Parameter folder: the folder of the app's files.
    init(folder: URL) {
        url = folder.appending(path: "token-ages.json", directoryHint: .notDirectory)
    }

    /// The stored times. A damaged file, or a time in the future, counts as missing.
    func read(now: Date) -> TokenAges {
        guard let file = try? FileHandle(forReadingFrom: url) else { return TokenAges() }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.maximumBytes + 1),
            let json = try? CheckedJSON(data, maximumBytes: Self.maximumBytes),
            let ages = try? json.decode(TokenAges.self)
        else { return TokenAges() }
        return ages.known(at: now)
    }

    func write(_ ages: TokenAges) throws {
        try JSONEncoder().encode(ages).write(to: url, options: .atomic)
    }
}

extension TokenAges {
    /// The ages without impossible times: in the future, or before 1970.
    fileprivate func known(at now: Date) -> TokenAges {
        func past(_ date: Date?) -> Date? {
            guard let date, date.timeIntervalSince1970 >= 0, date <= now else { return nil }
            return date
        }
        return TokenAges(contact: past(contact), refresh: past(refresh), issued: past(issued), accepted: past(accepted))
    }
}
