import BelfryModel
import Foundation

/// When an app got its tokens, on the phone's disk beside the tokens: both outlive the phones' program.
struct TokenAgesFile: Sendable {
    /// Four dates are fewer.
    private static let maximumBytes = 1_024

    private let url: URL

    /// - Parameter folder: of the app's files.
    init(folder: URL) {
        url = folder.appending(path: "token-ages.json", directoryHint: .notDirectory)
    }

    /// What was stored; a file that is damaged, or a date that is still to come, says nothing.
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
    /// Without what cannot have been yet, and what was before there were phones.
    fileprivate func known(at now: Date) -> TokenAges {
        func past(_ date: Date?) -> Date? {
            guard let date, date.timeIntervalSince1970 >= 0, date <= now else { return nil }
            return date
        }
        return TokenAges(contact: past(contact), refresh: past(refresh), issued: past(issued), accepted: past(accepted))
    }
}
